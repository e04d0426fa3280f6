import { useStarted } from '@keydesk/testing';
import { beforeEach } from 'vitest';
import type { Account } from '../../accounts/account/account.ts';
import type { AuditEventType, AuditRecord } from '../../audit/audit-event.ts';
import { type Engine, type UsedStorage, useStorage } from '../../storage/engines.fixture.ts';
import type { Browser, Page } from '../../tests/browser.fixture.ts';
import { startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';
import { type Mailbox, startMailbox } from '../account/mailbox.fixture.ts';
import { invitationPath } from './portal/paths.ts';
import { csrfIn, LIST, register, signIn } from './portal.fixture.ts';

/** A server on which users may register two applications each, and a user who owns one application. */
export interface CoOwnersWorld {
  server: TestServer;
  storage: UsedStorage;
  mailbox: Mailbox;
  /** Owner of the application; both are new in each test. */
  owner: Account;
  /** Browser of the owner. */
  browser: Browser;
  id: string;
  /** Path of the application's page. */
  path: string;
  addAccount(name?: string): Promise<Account>;
  /** Submits the owner's invitation form. */
  invite(email: string): Promise<Page>;
  /** Returns the link of the newest invitation that was mailed to an address. */
  linkTo(email: string): Promise<string>;
  /** Makes an account a co-owner by invitation; returns its browser. */
  join(account: Account): Promise<Browser>;
  /** Returns the application's audit records of the given types, newest first. */
  recordsOf(...types: readonly AuditEventType[]): Promise<readonly AuditRecord[]>;
}

/** Runs the server for the current suite. */
export function useCoOwners(engine: Engine): () => CoOwnersWorld {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  const server = useStarted(() =>
    startTestServer(storage.get(), { config: { ...mailbox.config, maxApplicationsPerAccount: 2 } }),
  );
  let world: CoOwnersWorld;
  beforeEach(async () => {
    const owner = await server.addAccount({ name: 'Grace Hopper' });
    const browser = await signIn(server, owner);
    const { id, path } = await register(browser);
    const invite: CoOwnersWorld['invite'] = async (email) =>
      browser.submit(await browser.open(path), 'invite', { invited_email: email });
    const linkTo: CoOwnersWorld['linkTo'] = (email) => mailbox.linkTo(email, invitationPath);
    world = {
      server,
      storage,
      mailbox,
      owner,
      browser,
      id,
      path,
      addAccount: (name = 'Ada Lovelace') => server.addAccount({ name }),
      invite,
      linkTo,
      async join(account) {
        await invite(account.email);
        const joined = await signIn(server, account);
        await answer(joined, await joined.open(await linkTo(account.email)), 'accept');
        return joined;
      },
      recordsOf: (...types) => storage.get().audit.list({ types, clientId: id, limit: 100 }),
    };
  });
  return () => world;
}

/** Submits the form of the invitation page. */
export function answer(by: Browser, page: Page, decision: 'accept' | 'decline'): Promise<Page> {
  return by.submit(page, 'answer-invitation', { decision });
}

/** Withdraws the first invitation that the page of an application lists. */
export function withdrawFirst(by: Browser, page: Page): Promise<Page> {
  const [, form = ''] = /id="(withdraw-invitation-[^"]*)"/.exec(page.html) ?? [];
  return by.submit(page, form);
}

/** Posts a form that no page offers, with a valid CSRF token of the session. */
export async function forge(
  by: Browser,
  action: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const page = await by.open(`${LIST}/new`);
  const csrf = csrfIn(page);
  const html = `<form id="forged" action="${action}"></form>`;
  return by.submit({ ...page, html }, 'forged', { csrf, ...fields });
}
