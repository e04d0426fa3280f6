import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  home,
  otherPassword,
  password,
  startAccounts,
  type TestAccounts,
  tokenIn,
} from '../accounts.fixture.ts';

describe('60 passwords that are set concurrently', () => {
  let test: TestAccounts;
  beforeEach(async () => {
    test = await startAccounts({
      // Capacity of 40, of which each key may use 10.
      env: {
        PASSWORD_HASH_CONCURRENCY: '1',
        PASSWORD_HASH_QUEUE: '39',
        MAIL_REQUESTS_PER_NETWORK: '0',
      },
      passwordParameters: { memoryKib: 8_192, passes: 2, parallelism: 1 },
    });
  });
  afterEach(() => test.close());

  const sixty = (choose: (i: number) => Promise<unknown>) => Array.from({ length: 60 }, (_, i) => choose(i));

  /** Signs in as another user once the queue rejects further passwords; resolves with the number of accepted ones. */
  async function signInMeanwhile(email: string, choices: readonly Promise<unknown>[]): Promise<number> {
    const refusal = Promise.any(choices.map((each) => each.then(() => Promise.reject(), String)));
    expect(await refusal).toContain('Too many');
    expect(await test.accounts.authenticate({ email, password }, home)).toBeDefined();
    const outcomes = await Promise.allSettled(choices);
    const isRefusal = (each: (typeof outcomes)[number]) =>
      each.status === 'rejected' && each.reason.code === 'too_many_requests';
    return outcomes.length - outcomes.filter(isRefusal).length;
  }

  it('with one mailed link from 60 networks leave capacity in the queue to other users', async () => {
    const [{ email }, other] = [await test.add(), await test.add()];
    await test.accounts.requestPasswordReset({ email }, home);
    const reset = { token: tokenIn(await test.takeMails()), newPassword: otherPassword };
    const choices = sixty((i) => test.accounts.resetPassword(reset, { address: `198.51.100.${i}` }));
    expect(await signInMeanwhile(other.email, choices)).toBe(10);
  });

  it('for new accounts from one network leave capacity in the queue to other users', async () => {
    const other = await test.add();
    const choices = sixty((i) => {
      const email = `${i}@example.org`;
      return test.accounts.signUp({ email, password, name: 'Ann' }, { address: '198.51.100.1' });
    });
    expect(await signInMeanwhile(other.email, choices)).toBe(10);
  });
});
