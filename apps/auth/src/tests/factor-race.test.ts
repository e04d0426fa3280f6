import { describeWith, useStarted } from '@keydesk/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../storage/test-database.fixture.ts';
import { addPasskey, optionsIn } from '../web/account/passkeys/passkey-pages.fixture.ts';
import { setUpApp } from './authenticator-app.fixture.ts';
import { type Browser, createBrowser, type Page } from './browser.fixture.ts';
import { startRacedProcesses } from './raced-processes.fixture.ts';
import { password } from './test-server.fixture.ts';

const RACERS = 20;
function raceSuites(createDatabase: () => Promise<TestDatabase>): void {
  const servers = useStarted(async () => startRacedProcesses(await createDatabase()));
  let email: string;
  let owner: Browser;
  beforeEach(async () => {
    ({ email } = await servers.addAccount());
    owner = createBrowser(servers.url);
    await submitPassword(owner);
  });

  const submitPassword = async (browser: Browser) =>
    browser.submit(await browser.open('/account'), 'sign-in', { email, password });

  /** Opens the second step of a sign-in in many browsers. */
  async function openSecondSteps() {
    const steps = Array.from({ length: RACERS }, async () => {
      const browser = createBrowser(servers.url);
      return { browser, page: await submitPassword(browser) };
    });
    return Promise.all(steps);
  }

  /** Expects that one response of many is the account page, and that the others ask again. */
  async function expectOneSignIn(responses: readonly Promise<Page>[]): Promise<void> {
    const pages = await Promise.all(responses);
    const outcomes = pages.map(({ status, url }) => `${status} ${url.pathname === '/account'}`);
    expect(outcomes.toSorted()).toEqual(['200 true', ...Array(responses.length - 1).fill('400 false')]);
  }

  it(`a time step of an authenticator app, sent by ${RACERS} browsers (RFC 6238 §5.2)`, async () => {
    const { app } = await setUpApp(owner, await owner.open('/account/two-step/app'), { time: { ahead: 0 } });
    const steps = await openSecondSteps();
    const code = app.nextCode();
    await expectOneSignIn(steps.map(({ browser, page }) => browser.submit(page, 'second-factor', { code })));
  });

  it(`a recovery code, sent by ${RACERS} browsers (OWASP ASVS 5.0 §6.5.1)`, async () => {
    const page = await owner.open('/account/two-step/app');
    const { recoveryCodes } = await setUpApp(owner, page, { time: { ahead: 0 } });
    const steps = await openSecondSteps();
    const fields = { recovery_code: recoveryCodes[3] ?? '' };
    await expectOneSignIn(steps.map(({ browser, page }) => browser.submit(page, 'recovery', fields)));
  });

  it(`a challenge of a passkey, answered ${RACERS} times (WebAuthn §7.2, step 11)`, async () => {
    const authenticator = await addPasskey(owner, servers.url);
    const browser = createBrowser(servers.url);
    const page = await browser.open('/sign-in');
    const passkey = authenticator.get(optionsIn(page, 'request'));
    const answers = Array.from({ length: RACERS }, () =>
      browser.submit(page, 'sign-in-with-passkey', { passkey }),
    );
    await expectOneSignIn(answers);
  });
}

const guarantee = 'signs in exactly once, at two processes';

describe(`${guarantee}, on SQLite`, () => raceSuites(createSqliteDatabase));
describeWith('mongodb', `${guarantee}, on MongoDB`, (url) => raceSuites(() => createMongoDatabase(url)));
