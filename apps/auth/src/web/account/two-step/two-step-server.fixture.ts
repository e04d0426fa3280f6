import { useStarted } from '@keydesk/testing';
import type { Account } from '../../../accounts/account/account.ts';
import type { UsedStorage } from '../../../storage/engines.fixture.ts';
import { type AuthenticatorApp, setUpApp } from '../../../tests/authenticator-app.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { startMailbox } from '../mailbox.fixture.ts';

/** A customer who has set an authenticator app up on the account page, and is signed in. */
export interface Owner {
  account: Account;
  browser: Browser;
  app: AuthenticatorApp;
  recoveryCodes: string[];
}

/** Starts a server that requires a second factor of agents after seven days, and a mailbox. */
export function useTwoStepServer(storage: Pick<UsedStorage, 'get'>) {
  const mailbox = useStarted(startMailbox);
  const server = useStarted(() =>
    startTestServer(storage.get(), {
      config: { ...mailbox.config, secondFactorRequiredFor: ['agent'], secondFactorGraceDays: 7 },
    }),
  );

  async function submitPassword(browser: Browser, email: string, path = '/account'): Promise<Page> {
    return browser.submit(await browser.open(path), 'sign-in', { email, password });
  }
  const newBrowser = () => createBrowser(server.url);

  async function addOwner(): Promise<Owner> {
    const account = await server.addAccount();
    const browser = newBrowser();
    await submitPassword(browser, account.email);
    const page = await browser.open('/account/two-step/app');
    return { account, browser, ...(await setUpApp(browser, page, server)) };
  }

  return { server, mailbox, submitPassword, newBrowser, addOwner };
}
