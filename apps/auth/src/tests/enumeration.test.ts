import { createHook } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Account } from '../accounts/account/account.ts';
import { createFactors, type Factors } from '../accounts/factors/factors.ts';
import { createPasskey } from '../accounts/factors/passkey.fixture.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import type { Storage } from '../storage/storage.ts';
import { createRequest, type Journey, startJourney } from './people.fixture.ts';
import { password, startTestServer } from './test-server.fixture.ts';

const operator = { address: 'cli', actor: 'operator' };
const totp = { sealedSecret: randomBytes(60).toString('base64url'), lastStep: 0, createdAt: new Date() };
const wrong = 'not the right one';

/** Periodic jobs of the server call stores, too; a comparison that one of them disturbed is repeated. */
const UNDISTURBED = { timeout: 30_000, interval: 1 };

/** Wraps a storage to list its calls. */
function recordCalls(storage: Storage, calls: string[]): Storage {
  const wrap = (store: object, name: string) =>
    new Proxy(store, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          calls.push(`${name}.${String(member)}`);
          return Reflect.apply(value, target, args);
        };
      },
    });
  const members = Object.entries(storage).map(([name, member]) => [
    name,
    typeof member === 'object' ? wrap(member, name) : member,
  ]);
  return Object.fromEntries(members);
}

/** Counts the password hashes of this process, as jobs of Node's thread pool. */
function countHashes() {
  const count = { hashes: 0 };
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') count.hashes += 1;
    },
  });
  beforeAll(() => void hook.enable());
  afterAll(() => void hook.disable());
  return count;
}

/** Returns everything that a browser receives, except for parts that differ on every visit. */
async function visibleIn(answer: Response, email: string) {
  const body = (await answer.text())
    .replaceAll(email, '')
    .replaceAll(/ (name="csrf" value|data-request)="[^"]*"/g, '')
    .replaceAll(/\/interaction\/[\w-]+/g, '');
  const maskValue = (cookie: string) => cookie.replace(/=[^;]*/, (value) => `, ${value.length} characters`);
  const cookies = answer.headers.getSetCookie().map((each) => maskValue(each).replace(/expires=[^;]*/, ''));
  const headers = [...answer.headers].filter(
    ([name]) => !['date', 'set-cookie', 'x-request-id'].includes(name),
  );
  return { status: answer.status, headers, cookies, body };
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const calls: string[] = [];
  const work = countHashes();
  const server = useStarted(() =>
    startTestServer(recordCalls(storage.get(), calls), {
      config: { secondFactorRequiredFor: ['agent'], signInFailuresPerNetwork: 0, mailRequestsPerNetwork: 0 },
    }),
  );
  let journey: Journey;
  beforeAll(async () => {
    journey = await startJourney(server);
  });

  const change = (account: Account, members: Partial<Account>) =>
    storage.get().accounts.replace({ ...account, ...members, version: account.version + 1 }, account.version);
  const addFactors = ({ id }: Account, members: Partial<Factors>) =>
    storage.get().factors.replace({ ...createFactors(id), ...members, version: 1 }, 0);
  const addIdentity = ({ id: accountId, email: label }: Account) => {
    const linked = {
      id: uuidv7(),
      issuer: 'https://id.example',
      subject: accountId,
      providerId: 'acme',
      label,
    };
    const identities = [{ ...linked, linkedAt: new Date(), lastUsedAt: null }];
    return storage.get().identities.replace({ accountId, identities, version: 1 }, 0);
  };

  /** Kinds of accounts that an attacker must not be able to distinguish. */
  const kinds: Record<string, (account: Account) => Promise<unknown>> = {
    'an account with a password': async () => undefined,
    'one with an authenticator app': (account) => addFactors(account, { totp }),
    'one with a password and a passkey': (account) => addFactors(account, { passkeys: [createPasskey()] }),
    'one with a passkey only': async (account) => {
      await addFactors(account, { passkeys: [createPasskey()] });
      await change(account, { passwordHash: null });
    },
    'one with an identity of a provider only': async (account) => {
      await addIdentity(account);
      await change(account, { passwordHash: null });
    },
    'one that must set up a second factor': (account) => change(account, { role: 'agent' }),
    'one with an unverified address': (account) => change(account, { emailVerified: false }),
    'a disabled one': ({ id }) => server.accounts.disable(id, operator),
    'one that waits for its deletion': ({ id }) => server.accounts.requestDeletion(id, operator),
  };

  interface Form {
    /** Returns the address of the page. */
    page: () => Promise<string | URL> | string | URL;
    id: string;
    fields: Record<string, string>;
  }

  /** Submits a form in a new browser; returns the visible response and the work that the server did. */
  async function submit({ page, id, fields }: Form, email: string) {
    const cookies: string[] = [];
    const send = async (url: string | URL, init: RequestInit = {}) => {
      const headers = { cookie: cookies.join('; ') };
      const response = await fetch(url, { ...init, headers, redirect: 'manual' });
      cookies.push(...response.headers.getSetCookie().map((line) => line.split(';')[0] ?? ''));
      return response;
    };
    let opened = await send(await page());
    const location = opened.headers.get('location');
    if (location !== null) opened = await send(new URL(location, server.url));
    const html = await opened.text();
    const action = new RegExp(`<form id="${id}"[^>]* action="([^"]*)"`).exec(html)?.[1] ?? '';
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    calls.length = 0;
    work.hashes = 0;
    const body = new URLSearchParams({ ...fields, email, csrf });
    const answer = await send(new URL(action, server.url), { method: 'POST', body });
    const done = { calls: [...calls], hashes: work.hashes };
    return { visible: await visibleIn(answer, email), work: done };
  }

  async function addressOf(prepare: (account: Account) => Promise<unknown>): Promise<string> {
    const account = await server.addAccount();
    await prepare(account);
    return account.email;
  }

  const signInPage = (): Form => ({
    page: () => `${server.url}/sign-in`,
    id: 'sign-in',
    fields: { password: wrong },
  });
  const interaction = (): Form => ({
    ...signInPage(),
    page: async () => (await createRequest(journey)).url,
  });

  describe('a wrong password gets the same answer after the same work for an unknown address (OWASP ASVS 5.0 §6.3.8)', () => {
    const compare = (form: Form, email: string) =>
      vi.waitFor(async () => {
        const unknown = await submit(form, `${uuidv7()}@example.org`);
        expect([unknown.visible.status, unknown.work.hashes]).toEqual([400, 1]);
        expect(unknown.work.calls).toContain('accounts.findByEmail');
        expect(await submit(form, email)).toEqual(unknown);
      }, UNDISTURBED);

    it.each(Object.entries(kinds))('and %s', async (_, prepare) => {
      const email = await addressOf(prepare);
      for (const form of [signInPage(), interaction()]) await compare(form, email);
    });

    it('and the right password of a disabled account', async () => {
      const email = await addressOf(({ id }) => server.accounts.disable(id, operator));
      await compare({ ...signInPage(), fields: { password } }, email);
    });
  });

  describe('other forms get the same answer for an unknown address (OWASP ASVS 5.0 §6.3.8)', () => {
    it.each(Object.entries(kinds))('and %s', async (_, prepare) => {
      const email = await addressOf(prepare);
      const forgot = { page: () => `${server.url}/forgot-password`, id: 'forgot-password', fields: {} };
      const fields = { name: 'Ada', password: 'seven quiet harbours' };
      const signUp = { page: () => `${server.url}/sign-up`, id: 'sign-up', fields };
      for (const form of [forgot, signUp]) {
        const { visible } = await submit(form, `${uuidv7()}@example.org`);
        expect(visible.status).toBe(303);
        expect((await submit(form, email)).visible).toEqual(visible);
      }
    });
  });
});
