import { openRedis } from '@keydesk/rate-limit';
import type { AppError } from '@keydesk/server';
import { describeWith, startRedis } from '@keydesk/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  home,
  password,
  startAccounts,
  type TestAccounts,
  type TestAccountsOptions,
} from '../accounts.fixture.ts';

const PER_PAIR = 10;
const PER_ACCOUNT = 50;
const PER_NETWORK = 100;
const attacker = { address: '203.0.113.66' };

const started: TestAccounts[] = [];
afterEach(() => Promise.all(started.splice(0).map((each) => each.close())));

async function start(options?: TestAccountsOptions): Promise<TestAccounts> {
  const test = await startAccounts(options);
  started.push(test);
  return test;
}

interface Guess {
  email: string;
  /** Default: a wrong one. */
  password?: string | undefined;
  address?: string | undefined;
  deviceCookie?: string | undefined;
}

/** Makes all guesses concurrently and counts the outcomes. */
async function guess({ accounts }: TestAccounts, guesses: readonly Guess[]) {
  const outcomes = await Promise.allSettled(
    guesses.map(({ address = attacker.address, ...credentials }) =>
      accounts.authenticate(
        { ...credentials, password: credentials.password ?? 'a wrong guess' },
        { address },
      ),
    ),
  );
  const refusals = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as AppError] : []));
  for (const { code, status, retryAfterSeconds } of refusals) {
    expect({ code, status }).toEqual({ code: 'too_many_requests', status: 429 });
    expect(retryAfterSeconds).toBeGreaterThan(0);
  }
  const judged = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  return {
    opened: judged.filter((value) => value !== undefined).length,
    wrong: judged.filter((value) => value === undefined).length,
    refused: refusals.length,
  };
}

const signInOnDevices = ({ accounts }: TestAccounts, email: string, length: number) =>
  Array.fromAsync({ length }, () => accounts.authenticate({ email, password }, home));

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

describe('guessing passwords', () => {
  it('stops at the limit, however many guesses are concurrent, even if one of them is correct', async () => {
    const test = await start();
    const { email } = await test.add();
    const guesses = times(50, (i) => ({ email, password: i === 30 ? password : `guess number ${i}` }));
    expect(await guess(test, guesses)).toEqual({ opened: 0, wrong: PER_PAIR, refused: 50 - PER_PAIR });
    expect(await guess(test, [{ email, password }])).toEqual({ opened: 0, wrong: 0, refused: 1 });
  });

  it('gets the same answer for an address without an account', async () => {
    const test = await start();
    const guesses = times(50, () => ({ email: 'nobody@example.org' }));
    expect(await guess(test, guesses)).toEqual({ opened: 0, wrong: PER_PAIR, refused: 50 - PER_PAIR });
  });

  it('is rejected before a hash is computed, so that a flood does not delay other users', async () => {
    // Capacity for exactly the admitted guesses, because one network may use a quarter of it.
    const test = await start({
      env: { PASSWORD_HASH_CONCURRENCY: '1', PASSWORD_HASH_QUEUE: `${4 * PER_PAIR - 1}` },
    });
    const { email } = await test.add();
    expect(
      await guess(
        test,
        times(50, () => ({ email })),
      ),
    ).toMatchObject({ wrong: PER_PAIR });
  });

  it('refunds an attempt that failed with an error', async () => {
    const test = await start({ env: { PASSWORD_HASH_CONCURRENCY: '1', PASSWORD_HASH_QUEUE: '0' } });
    const { email } = await test.add();
    const attempts = times(PER_PAIR, () =>
      test.accounts.authenticate({ email, password: 'wrong' }, attacker),
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(PER_PAIR - 1);
    for (let i = 0; i < PER_PAIR - 1; i += 1)
      expect(await guess(test, [{ email }])).toMatchObject({ wrong: 1 });
    expect(await guess(test, [{ email }])).toMatchObject({ refused: 1 });
  });

  it('does not lock the owner out on another network', async () => {
    const test = await start();
    const { email } = await test.add();
    await guess(
      test,
      times(500, () => ({ email })),
    );
    expect(await guess(test, [{ email, password, ...home }])).toMatchObject({ opened: 1 });
  });

  it('does not lock the owner out of a device that has signed in before, not even on the same network', async () => {
    const test = await start();
    const { email } = await test.add();
    const signedIn = await test.accounts.authenticate({ email, password }, attacker);
    await guess(
      test,
      times(50, () => ({ email })),
    );
    expect(await guess(test, [{ email, password }])).toMatchObject({ refused: 1 });
    expect(await guess(test, [{ email, password, deviceCookie: signedIn?.deviceCookie }])).toMatchObject({
      opened: 1,
    });
  });

  it('from many networks stops at the limit of the account, which its own devices do not share', async () => {
    const test = await start();
    const { email } = await test.add();
    const signedIn = await test.accounts.authenticate({ email, password }, home);
    const guesses = times(200, (i) => ({ email, address: `198.51.100.${i}` }));
    expect(await guess(test, guesses)).toEqual({ opened: 0, wrong: PER_ACCOUNT, refused: 200 - PER_ACCOUNT });
    expect(await guess(test, [{ email, password, deviceCookie: signedIn?.deviceCookie }])).toMatchObject({
      opened: 1,
    });
  });

  it('at many accounts stops at the limit of the network', async () => {
    const test = await start();
    const guesses = times(300, (i) => ({ email: `${i}@example.org` }));
    expect(await guess(test, guesses)).toEqual({ opened: 0, wrong: PER_NETWORK, refused: 300 - PER_NETWORK });
  });

  it('from many addresses of one IPv6 /64 counts as one network', async () => {
    const test = await start();
    const { email } = await test.add();
    const guesses = times(50, (i) => ({ email, address: `2001:db8:1:2::${i}` }));
    expect(await guess(test, guesses)).toMatchObject({ wrong: PER_PAIR });
  });

  it.each([
    ['a device cookie stops at the limit of that device', 1, PER_PAIR],
    ['many device cookies of the account stops at the limit of the account', 12, PER_ACCOUNT],
  ])('with %s', async (_, count, limit) => {
    const test = await start();
    const { email } = await test.add();
    const devices = await signInOnDevices(test, email, count);
    const guesses = times(120, (i) => ({ ...devices[i % count], email, address: `198.51.100.${i}` }));
    expect(await guess(test, guesses)).toMatchObject({ wrong: limit });
  });

  it('at another account gets no separate limit from a device cookie', async () => {
    const test = await start();
    const [own, victim] = [await test.add(), await test.add()];
    const { deviceCookie } =
      (await test.accounts.authenticate({ email: own.email, password }, attacker)) ?? {};
    const guesses = times(50, () => ({ email: victim.email, deviceCookie }));
    expect(await guess(test, guesses)).toMatchObject({ wrong: PER_PAIR });
  });

  it('does not count against the network when the limit of the account rejects it', async () => {
    const test = await start({
      env: { SIGN_IN_FAILURES_PER_ACCOUNT: '5', SIGN_IN_FAILURES_PER_NETWORK: '10' },
    });
    const [account, other] = [await test.add(), await test.add()];
    const fromAnywhere = times(5, (i) => ({ email: account.email, address: `198.51.100.${i}` }));
    expect(await guess(test, fromAnywhere)).toMatchObject({ wrong: 5 });
    const fromOneNetwork = times(20, () => ({ email: account.email }));
    expect(await guess(test, fromOneNetwork)).toMatchObject({ refused: 20 });
    expect(await guess(test, [{ email: other.email, password }])).toMatchObject({ opened: 1 });
  });

  it('is recorded once per window when it is rejected, not for every attempt', async () => {
    const test = await start();
    const { id, email } = await test.add();
    await guess(
      test,
      times(200, () => ({ email })),
    );
    const limited = test.events.filter(({ type }) => type === 'account.sign_in_limited');
    expect(limited).toEqual([expect.objectContaining({ accountId: id, origin: attacker })]);
  });

  it('is unlimited if the settings are 0', async () => {
    const test = await start({
      env: {
        SIGN_IN_FAILURES_PER_ACCOUNT: '0',
        SIGN_IN_FAILURES_PER_NETWORK: '0',
        SIGN_IN_FAILURES_PER_ACCOUNT_AND_NETWORK: '0',
      },
    });
    expect(
      await guess(
        test,
        times(150, () => ({ email: 'ann@example.org' })),
      ),
    ).toMatchObject({ wrong: 150 });
  });
});

describe('signing in with the correct password', () => {
  it('uses up no attempts', async () => {
    const test = await start();
    const { email } = await test.add();
    for (let i = 0; i < 3 * PER_PAIR; i += 1)
      expect(await guess(test, [{ email, password }])).toMatchObject({ opened: 1 });
    expect(
      await guess(
        test,
        times(50, () => ({ email })),
      ),
    ).toMatchObject({ wrong: PER_PAIR });
  });

  it('leaves capacity in the queue to other users, from however many devices or networks', async () => {
    const test = await start({ env: { PASSWORD_HASH_CONCURRENCY: '1', PASSWORD_HASH_QUEUE: '39' } });
    const [{ email }, other] = [await test.add(), await test.add()];
    const devices = await signInOnDevices(test, email, 12);
    const fromOneNetwork = times(60, (i) => ({ ...devices[i % 12], email, password }));
    const fromAnywhere = fromOneNetwork.map((each, i) => ({ ...each, address: `198.51.100.${i}` }));
    for (const flood of [fromOneNetwork, fromAnywhere]) {
      const flooding = guess(test, flood);
      expect(await guess(test, [{ email: other.email, password, ...home }])).toMatchObject({ opened: 1 });
      expect(await flooding).toEqual({ opened: 10, wrong: 0, refused: 50 });
    }
    expect(await guess(test, fromOneNetwork.slice(0, 10))).toMatchObject({ opened: 10 });
  });

  it('on a device of the account works while strangers fill their share of the queue', async () => {
    const test = await start({
      env: { PASSWORD_HASH_CONCURRENCY: '1', PASSWORD_HASH_QUEUE: '39' },
      passwordParameters: { memoryKib: 8_192, passes: 2, parallelism: 1 },
    });
    const { email } = await test.add();
    const { deviceCookie } = (await test.accounts.authenticate({ email, password }, home)) ?? {};
    const flood = times(20, (i) =>
      guess(test, [{ email, address: `198.51.100.${i}` }]).then(({ refused }) => refused),
    );
    // The last guess is rejected, so the share of strangers is used up.
    expect(await flood.at(-1)).toBe(1);
    expect(await guess(test, [{ email, password, deviceCookie }])).toMatchObject({ opened: 1 });
    await Promise.all(flood);
  });

  it('does not refund wrong guesses', async () => {
    const test = await start();
    const { email } = await test.add();
    for (let i = 0; i < PER_PAIR; i += 1) {
      await guess(test, [{ email }]);
      await guess(test, [{ email, password, address: home.address }]);
    }
    expect(await guess(test, [{ email, password }])).toMatchObject({ refused: 1 });
  });
});

describeWith('redis', 'guessing passwords at several processes', () => {
  it('stops at a shared limit, and at the limit of each process when Redis is down', async () => {
    const server = await startRedis();
    const connections = [openRedis(server.url), openRedis(server.url)];
    for (const { client } of connections) client.options.commandTimeout = 10_000; // an answer that comes late on a busy machine is not an outage here
    onTestFinished(async () => {
      for (const redis of connections) redis.close();
      await server.stop();
    });
    await vi.waitUntil(() => connections.every((redis) => redis.isUsable()), { timeout: 30_000 });
    const processes = await Promise.all(connections.map((redis) => start({ redis })));
    const guessAll = async (email: string) => {
      const results = await Promise.all(
        processes.map((each) =>
          guess(
            each,
            times(50, () => ({ email })),
          ),
        ),
      );
      return results.map(({ wrong }) => wrong);
    };

    const together = await guessAll('ann@example.org');
    expect(together.reduce((sum, wrong) => sum + wrong)).toBe(PER_PAIR);
    const keys = await connections[0]?.client.keys('*');
    expect(keys?.length).toBeGreaterThan(0);
    expect(keys?.join()).not.toContain('ann@');

    await server.kill();
    expect(await guessAll('bob@example.org')).toEqual([PER_PAIR, PER_PAIR]);
  });
});
