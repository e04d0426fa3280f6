import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith, useStarted } from '@keydesk/testing';
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import type { Account } from '../accounts/account/account.ts';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../storage/test-database.fixture.ts';
import type { Browser } from '../tests/browser.fixture.ts';
import { password } from '../tests/test-server.fixture.ts';
import {
  newPassword,
  type RacedServers,
  type SignInResult,
  startRacedServers,
} from './password-change-race.fixture.ts';

/** Number of raced accounts per kind of password change. */
interface Rounds {
  ofChange: number;
  ofReset: number;
}

const rounds = { ofChange: 50, ofReset: 10 };
/** The MongoDB stand-in is slow. */
const roundsOnSlowStandIn = { ofChange: 20, ofReset: 5 };

/** Delays of racing sign-ins after the change, in milliseconds; a hash takes about 30. */
const RACING_AT_MS = [0, 15, 40, 80];

interface Change {
  /** Browser of the change, which stays signed in. */
  browser?: Browser;
  change(): Promise<void>;
}

function raceSuites(createDatabase: () => Promise<TestDatabase>, { ofChange, ofReset }: Rounds): void {
  const servers = useStarted(async () => {
    const database = await createDatabase();
    const started = await startRacedServers(database.location);
    return {
      ...started,
      async stop() {
        await started.stop();
        await database.drop();
      },
    };
  });

  it(`is guaranteed for ${ofChange} changes`, async () => {
    for (let round = 0; round < ofChange; round += 1)
      await race(servers, round, (account) => servers.prepareChange(account));
  });

  it(`is guaranteed for ${ofReset} resets`, async () => {
    for (let round = 0; round < ofReset; round += 1)
      await race(servers, round, (account) => servers.prepareReset(account));
  });
}

/** Starts sign-ins with the old password before, during and after the change of password. */
async function race(
  servers: RacedServers,
  round: number,
  prepare: (account: Account) => Promise<Change>,
): Promise<void> {
  const account = await servers.addAccount();
  const isCodeKept = (i: number) => (round + i) % 2 === 0;
  const { browser, change } = await prepare(account);
  const before = await (await servers.prepareSignIn(account, { isCodeKept: isCodeKept(0) }))();
  expect(before.refreshToken ?? before.redeemCode).toBeDefined();
  const racing = await Promise.all(
    RACING_AT_MS.map((_, i) => servers.prepareSignIn(account, { isCodeKept: isCodeKept(i) })),
  );
  const behind = await servers.prepareSignIn(account, { isCodeKept: false });

  const [first, ...others] = racing;
  const submitted = [
    first?.(),
    change(),
    ...others.map(async (submit, i) => {
      await sleep((RACING_AT_MS[i + 1] ?? 0) + (round % 5) * 4);
      return submit();
    }),
  ];
  const results = (await Promise.all(submitted)).filter((result) => result !== undefined);
  for (const result of [before, ...results, await behind()]) await expectSignedOut(servers, result);

  if (browser) expect((await browser.open('/account')).url.pathname).toBe('/account');
  expect(await servers.canSignIn(account, password)).toBe(false);
  expect(await servers.canSignIn(account, newPassword)).toBe(true);
}

async function expectSignedOut({ application }: RacedServers, result: SignInResult): Promise<void> {
  const { browser, redeemCode, refreshToken } = result;
  expect((await browser.open('/account')).url.pathname).toBe('/sign-in');
  if (redeemCode) await expect(redeemCode()).rejects.toMatchObject({ error: 'invalid_grant' });
  if (refreshToken === undefined) return;
  const refresh = oauth.refreshTokenGrant(application, refreshToken);
  await expect(refresh).rejects.toMatchObject({ error: 'invalid_grant' });
}

const guarantee =
  'no sign-in with the old password outlives a password change, in two processes (CWE-367, OWASP ASVS 5.0 §7.4.2)';

describe(`${guarantee}, on SQLite`, () => raceSuites(createSqliteDatabase, rounds));
describeWith('mongodb', `${guarantee}, on MongoDB`, (url) =>
  raceSuites(() => createMongoDatabase(url), roundsOnSlowStandIn),
);
