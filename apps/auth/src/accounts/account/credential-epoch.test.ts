import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Storage } from '../../storage/storage.ts';
import {
  home,
  otherPassword,
  password,
  startAccounts,
  type TestAccounts,
  tokenIn,
} from '../accounts.fixture.ts';
import { exampleAccount } from './account.fixture.ts';
import { type Account, updateAccount } from './account.ts';
import { endSignIns, isSignInStillValid, withPassword } from './credential-epoch.ts';

const later = new Date('2026-03-02T08:30:00.999Z');

describe('a sign-in', () => {
  const ann = exampleAccount({ credentialEpoch: 2 });

  it('is valid only at the epoch at which it was made', () => {
    expect([1, 2, 3].map((epoch) => isSignInStillValid(ann, epoch))).toEqual([false, true, false]);
  });

  it('is invalid without an account and while the account is disabled', () => {
    expect(isSignInStillValid(undefined, 0)).toBe(false);
    expect(isSignInStillValid({ ...ann, status: 'disabled' }, 2)).toBe(false);
  });

  it('ends with the same write as the change that ends it', () => {
    expect(endSignIns(ann, { status: 'disabled' }, later)).toEqual({
      ...updateAccount(ann, { status: 'disabled' }, later),
      credentialEpoch: 3,
      signInsEndedAt: later,
    });
    expect(withPassword(ann, 'hash', later)).toMatchObject({
      passwordHash: 'hash',
      passwordChangedAt: later,
      credentialEpoch: 3,
      version: 2,
    });
  });
});

/** Calls that run once, before or after a read of an account, to simulate a concurrent change. */
interface Meanwhile {
  before?: (() => Promise<unknown>) | undefined;
  after?: (() => Promise<unknown>) | undefined;
}

function interrupt<Key>(read: (key: Key) => Promise<Account | undefined>, meanwhile: () => Meanwhile) {
  return async (key: Key) => {
    const { before, after } = meanwhile();
    await before?.();
    const found = await read(key);
    await after?.();
    return found;
  };
}

describe('the credential epoch of an account', () => {
  let test: TestAccounts;
  let atRead: Meanwhile[] = [];
  const next = () => atRead.shift() ?? {};
  const wrapStorage = (storage: Storage): Storage => {
    const { accounts } = storage;
    const find = interrupt(accounts.find, next);
    return {
      ...storage,
      accounts: { ...accounts, find, findByEmail: interrupt(accounts.findByEmail, next) },
    };
  };
  beforeAll(async () => {
    test = await startAccounts({ wrapStorage });
  });
  afterAll(() => test.close());

  async function requestReset(email: string): Promise<string> {
    await test.accounts.requestPasswordReset({ email }, home);
    return tokenIn(await test.takeMails(), email);
  }
  const setPassword = ({ id }: Account) =>
    test.accounts.setPassword({ accountId: id, newPassword: otherPassword }, home);
  async function disableAndEnable({ id }: Account): Promise<void> {
    await test.accounts.disable(id, home);
    await test.accounts.enable(id, home);
  }
  const changePassword = ({ id }: Account) =>
    test.accounts.changePassword(
      { accountId: id, currentPassword: password, newPassword: otherPassword },
      home,
    );

  it.each<[string, (account: Account) => Promise<unknown>]>([
    ['a change of the password', changePassword],
    [
      'a reset',
      async ({ email }) =>
        test.accounts.resetPassword({ token: await requestReset(email), newPassword: otherPassword }, home),
    ],
    ['a password that an operator sets', setPassword],
    ['disabling', ({ id }) => test.accounts.disable(id, home)],
    ['signing out everywhere', ({ id }) => test.accounts.signOutEverywhere(id, home)],
    ['a higher role', ({ id }) => test.accounts.setRole(id, 'agent', home)],
  ])('is incremented by %s', async (_, change) => {
    const account = await test.add();
    expect(account.credentialEpoch).toBe(0);
    await change(account);
    expect((await test.accounts.get(account.id)).credentialEpoch).toBe(1);
  });

  it('is unchanged by enabling, a lower role, and changes of the name and the profile', async () => {
    const { id } = await test.add({ role: 'admin' });
    await test.accounts.enable(id, home);
    await test.accounts.setRole(id, 'agent', home);
    await test.accounts.setRole(id, 'agent', home);
    await test.accounts.changeName({ accountId: id, name: 'Ann' }, home);
    await test.accounts.setProfile(id, { nickname: 'annie' }, home);
    expect((await test.accounts.get(id)).credentialEpoch).toBe(0);
  });

  describe('that changes while a password waits to be checked (CWE-367)', () => {
    /** Makes the change after the first read of the sign-in. */
    function signInDuring(account: Account, typed: string, change: (account: Account) => Promise<unknown>) {
      atRead = [{ after: () => change(account) }];
      return test.accounts.authenticate({ email: account.email, password: typed }, home);
    }

    it('rejects the old password and accepts the new one', async () => {
      expect(await signInDuring(await test.add(), password, setPassword)).toBeUndefined();
      expect(test.events.at(-1)).toMatchObject({ details: { reason: 'wrong_password' } });
      const signedIn = await signInDuring(await test.add(), otherPassword, setPassword);
      expect(signedIn?.account.credentialEpoch).toBe(1);
    });

    it('rejects sign-ins to an account that was disabled or removed', async () => {
      const disable = ({ id }: Account) => test.accounts.disable(id, home);
      const remove = ({ id }: Account) => test.accounts.remove(id, home);
      for (const change of [disable, remove])
        expect(await signInDuring(await test.add(), password, change)).toBeUndefined();
    });

    it('binds the sign-in to the epoch at which the password was checked', async () => {
      const signedIn = await signInDuring(await test.add(), password, disableAndEnable);
      expect(signedIn?.account.credentialEpoch).toBe(1);
    });

    it('rejects a change that is authorized only by the old password', async () => {
      const account = await test.add();
      atRead = [{ after: () => setPassword(account) }];
      await expect(changePassword(account)).rejects.toMatchObject({ errors: [{ code: 'wrong_password' }] });
    });
  });

  it('rejects a password change that was requested at an earlier epoch', async () => {
    const account = await test.add();
    // Reads of a change: the account, again after the check, and again before the write.
    atRead = [{}, {}, { before: () => disableAndEnable(account) }];
    await expect(changePassword(account)).rejects.toMatchObject({ errors: [{ code: 'wrong_password' }] });
    expect(await test.accounts.get(account.id)).toMatchObject({ passwordHash: account.passwordHash });
  });

  it('rejects a reset that was started at an earlier epoch', async () => {
    const account = await test.add();
    const token = await requestReset(account.email);
    // Reads of a reset: the account of the link, and again before the write.
    atRead = [{}, { before: () => disableAndEnable(account) }];
    await expect(
      test.accounts.resetPassword({ token, newPassword: otherPassword }, home),
    ).rejects.toMatchObject({
      errors: [{ code: 'link_invalid' }],
    });
    expect(await test.accounts.get(account.id)).toMatchObject({ passwordHash: account.passwordHash });
  });
});
