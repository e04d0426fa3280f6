import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Storage } from '../storage/storage.ts';
import { exampleAccount } from './account.fixture.ts';
import { type Account, revise } from './account.ts';
import {
  home,
  otherPassword,
  password,
  startAccounts,
  type TestAccounts,
  tokenIn,
} from './accounts.fixture.ts';
import { endSignIns, isSignInStillValid, withPassword } from './credential-epoch.ts';

const later = new Date('2026-03-02T08:30:00.999Z');

describe('a sign-in', () => {
  const ann = exampleAccount({ credentialEpoch: 2 });

  it('is valid at the epoch that it was made at, and at no other', () => {
    expect([1, 2, 3].map((epoch) => isSignInStillValid(ann, epoch))).toEqual([false, true, false]);
  });

  it('is not valid without an account, and while the account is disabled', () => {
    expect(isSignInStillValid(undefined, 0)).toBe(false);
    expect(isSignInStillValid({ ...ann, status: 'disabled' }, 2)).toBe(false);
  });

  it('is ended by the same write as the change that ends it', () => {
    expect(endSignIns(ann, { status: 'disabled' }, later)).toEqual({
      ...revise(ann, { status: 'disabled' }, later),
      credentialEpoch: 3,
    });
    expect(withPassword(ann, 'hash', later)).toMatchObject({
      passwordHash: 'hash',
      passwordChangedAt: later,
      credentialEpoch: 3,
      version: 2,
    });
  });
});

/** Runs once, while an account is read: before or after the read, which a caller takes for what is stored. */
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
  ])('is raised by %s', async (_, change) => {
    const account = await test.add();
    expect(account.credentialEpoch).toBe(0);
    await change(account);
    expect((await test.accounts.get(account.id)).credentialEpoch).toBe(1);
  });

  it('stays as it is over enabling, and over changes of the role, the name and the profile', async () => {
    const { id } = await test.add();
    await test.accounts.enable(id, home);
    await test.accounts.setRole(id, 'agent', home);
    await test.accounts.changeName({ accountId: id, name: 'Ann' }, home);
    await test.accounts.setProfile(id, { nickname: 'annie' }, home);
    expect((await test.accounts.get(id)).credentialEpoch).toBe(0);
  });

  describe('that is raised while a password waits to be checked (CWE-367)', () => {
    /** Makes the change behind the first read of the sign-in. */
    function signInDuring(account: Account, typed: string, change: (account: Account) => Promise<unknown>) {
      atRead = [{ after: () => change(account) }];
      return test.accounts.authenticate({ email: account.email, password: typed }, home);
    }

    it('lets the old password open nothing, and the new one the account', async () => {
      expect(await signInDuring(await test.add(), password, setPassword)).toBeUndefined();
      expect(test.events.at(-1)).toMatchObject({ details: { reason: 'wrong_password' } });
      const signedIn = await signInDuring(await test.add(), otherPassword, setPassword);
      expect(signedIn?.account.credentialEpoch).toBe(1);
    });

    it('lets nobody in to an account that was disabled or removed', async () => {
      const disable = ({ id }: Account) => test.accounts.disable(id, home);
      const remove = ({ id }: Account) => test.accounts.remove(id, home);
      for (const change of [disable, remove])
        expect(await signInDuring(await test.add(), password, change)).toBeUndefined();
    });

    it('binds the sign-in to the epoch that the password was checked at', async () => {
      const signedIn = await signInDuring(await test.add(), password, disableAndEnable);
      expect(signedIn?.account.credentialEpoch).toBe(1);
    });

    it('refuses a change by whoever knows the old password only', async () => {
      const account = await test.add();
      atRead = [{ after: () => setPassword(account) }];
      await expect(changePassword(account)).rejects.toMatchObject({ errors: [{ code: 'wrong_password' }] });
    });
  });

  it('keeps a new password out that was chosen before it was raised', async () => {
    const account = await test.add();
    // The reads of a change: the account, the account behind the check, and the account that is written.
    atRead = [{}, {}, { before: () => disableAndEnable(account) }];
    await expect(changePassword(account)).rejects.toMatchObject({ errors: [{ code: 'wrong_password' }] });
    expect(await test.accounts.get(account.id)).toMatchObject({ passwordHash: account.passwordHash });
  });

  it('keeps a reset out that was begun before it was raised', async () => {
    const account = await test.add();
    const token = await requestReset(account.email);
    // The reads of a reset: the account that the link is for, and the account that is written.
    atRead = [{}, { before: () => disableAndEnable(account) }];
    await expect(
      test.accounts.resetPassword({ token, newPassword: otherPassword }, home),
    ).rejects.toMatchObject({
      errors: [{ code: 'link_invalid' }],
    });
    expect(await test.accounts.get(account.id)).toMatchObject({ passwordHash: account.passwordHash });
  });
});
