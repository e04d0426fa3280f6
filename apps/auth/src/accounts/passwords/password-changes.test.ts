import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../account/account.ts';
import {
  home,
  otherPassword,
  password,
  startAccounts,
  summaryOf,
  type TestAccounts,
  tokenIn,
} from '../accounts.fixture.ts';

const linkInvalid = { code: 'invalid_request', errors: [{ code: 'link_invalid' }] };
const cli = { address: 'cli', actor: 'operator' };

let test: TestAccounts;
let ann: Account;
beforeEach(async () => {
  test = await startAccounts();
  ann = await test.add({ email: 'ann@example.org' });
});
afterEach(() => test.close());

async function canSignIn(withPassword: string): Promise<boolean> {
  const credentials = { email: ann.email, password: withPassword };
  return (await test.accounts.authenticate(credentials, { address: '198.51.100.1' })) !== undefined;
}

async function requestReset(email = ann.email): Promise<string> {
  await test.accounts.requestPasswordReset({ email }, home);
  return tokenIn(await test.takeMails());
}

describe('changing the password', () => {
  const change = (members: object = {}) =>
    test.accounts.changePassword(
      { accountId: ann.id, currentPassword: password, newPassword: otherPassword, ...members },
      home,
    );

  it('sets the new one, ends every session, invalidates mailed links and notifies the owner', async () => {
    const token = await requestReset();
    test.advance(60);
    const changed = await change();
    expect(changed.passwordChangedAt?.getTime()).toBe((ann.passwordChangedAt?.getTime() ?? 0) + 60_000);
    expect(test.revoked).toEqual([ann.id]);
    expect(test.events.at(-1)).toMatchObject({ type: 'account.password_changed', accountId: ann.id });
    expect(summaryOf(await test.takeMails())).toEqual([
      'Your password for Acme Help was changed → ann@example.org',
    ]);
    expect([await canSignIn(password), await canSignIn(otherPassword)]).toEqual([false, true]);
    await expect(test.accounts.inspectPasswordReset(token)).rejects.toMatchObject(linkInvalid);
  });

  it('requires the current one', async () => {
    await expect(change({ currentPassword: otherPassword })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'current_password', code: 'wrong_password' }],
    });
    expect(await canSignIn(password)).toBe(true);
    expect(test.revoked).toEqual([]);
    expect(test.events).toContainEqual(
      expect.objectContaining({
        type: 'account.confirmation_failed',
        details: { action: 'change_password' },
      }),
    );
  });

  it('reports a wrong current one and every error of the new one at once', async () => {
    await expect(change({ currentPassword: otherPassword, newPassword: 'short' })).rejects.toMatchObject({
      errors: [
        { field: 'current_password', code: 'wrong_password' },
        { field: 'password', code: 'too_short' },
      ],
    });
    await expect(change({ newPassword: password })).rejects.toMatchObject({
      errors: [{ field: 'password', code: 'unchanged' }],
    });
  });

  it('rejects one that attackers try first', async () => {
    await expect(change({ newPassword: 'Qwertyuiop1' })).rejects.toMatchObject({
      errors: [{ field: 'password', code: 'too_common' }],
    });
    await expect(change({ newPassword: 'acme help 1' })).rejects.toMatchObject({
      errors: [{ field: 'password', code: 'too_personal' }],
    });
    expect(await canSignIn(password)).toBe(true);
  });

  it('limits attempts with a stolen session, from any network', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        test.accounts.changePassword(
          { accountId: ann.id, currentPassword: `guess ${i}`, newPassword: otherPassword },
          { address: `198.51.100.${i}` },
        ),
      ),
    );
    const codes = outcomes.map((each) => (each.status === 'rejected' ? each.reason.code : 'changed'));
    expect(codes.filter((code) => code === 'validation_failed')).toHaveLength(10);
    expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(40);
  });

  it('succeeds for exactly one of several concurrent requests with the same current one', async () => {
    const wrongPassword = { errors: [{ code: 'wrong_password' }] };
    const newPasswords = ['first yellow umbrella', 'second yellow umbrella', 'third yellow umbrella'];
    const outcomes = await Promise.allSettled(newPasswords.map((newPassword) => change({ newPassword })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(wrongPassword);
      expect(await canSignIn(newPasswords[i] ?? '')).toBe(outcome.status === 'fulfilled');
    }
  });

  it('stays possible for the owner while an attacker guesses the password', async () => {
    const guesses = Array.from({ length: 100 }, (_, i) =>
      test.accounts.authenticate({ email: ann.email, password: 'x' }, { address: `198.51.100.${i}` }),
    );
    await Promise.allSettled(guesses);
    expect(await change()).toMatchObject({ id: ann.id });
  });

  it('by an operator requires no current one', async () => {
    await test.accounts.setPassword({ accountId: ann.id, newPassword: otherPassword }, cli);
    expect(await canSignIn(otherPassword)).toBe(true);
    expect(test.revoked).toEqual([ann.id]);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'account.password_reset', origin: cli }),
    );
    const unknown = test.accounts.setPassword({ accountId: 'x', newPassword: otherPassword }, cli);
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('resetting the password', () => {
  const reset = (token: string, newPassword = otherPassword) =>
    test.accounts.resetPassword({ token, newPassword }, home);

  it('sets the new one, ends every session and notifies the owner', async () => {
    const token = await requestReset(' ANN@example.org');
    expect(await test.accounts.inspectPasswordReset(token)).toMatchObject({ email: ann.email });
    const { account, deviceCookie } = await reset(token);
    expect(account.id).toBe(ann.id);
    expect(test.revoked).toEqual([ann.id]);
    expect([await canSignIn(password), await canSignIn(otherPassword)]).toEqual([false, true]);
    expect(test.events.map(({ type }) => type)).toContain('account.password_reset');
    expect(summaryOf(await test.takeMails())).toEqual([
      'Your password for Acme Help was changed → ann@example.org',
    ]);
    // The reset identified the device, so guesses made elsewhere do not block it.
    await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) =>
        test.accounts.authenticate({ email: ann.email, password: 'x' }, { address: `198.51.100.${i}` }),
      ),
    );
    const credentials = { email: ann.email, password: otherPassword, deviceCookie };
    expect(await test.accounts.authenticate(credentials, home)).toBeDefined();
  });

  it('works once per link, however many requests use it concurrently', async () => {
    const token = await requestReset();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => reset(token, `${otherPassword} ${i}`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(await canSignIn(`${otherPassword} ${winner}`)).toBe(true);
    await expect(reset(token)).rejects.toMatchObject(linkInvalid);
  });

  it('does not redeem the link if the new password is rejected', async () => {
    const token = await requestReset();
    await expect(reset(token, 'short')).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await reset(token)).toBeDefined();
  });

  it('verifies the address', async () => {
    await test.accounts.signUp({ email: 'bob@example.org', password }, home);
    await test.takeMails();
    const { account } = await reset(await requestReset('bob@example.org'));
    expect(account.emailVerified).toBe(true);
  });

  it('takes the account from an attacker who signed up with the owner’s address', async () => {
    await test.accounts.signUp({ email: 'bob@example.org', password }, home);
    const planted = tokenIn(await test.takeMails());
    const { account } = await reset(await requestReset('bob@example.org'));
    expect(await test.accounts.authenticate({ email: account.email, password }, home)).toBeUndefined();
    const proof = { token: planted, accountId: account.id };
    await expect(test.accounts.verifyEmail(proof, home)).rejects.toMatchObject(linkInvalid);
  });

  it.each([
    ['has expired', async () => test.advance(1_800)],
    ['belongs to a disabled account', () => test.accounts.disable(ann.id, home)],
    [
      'was mailed before the account was disabled and enabled again',
      async () => {
        await test.accounts.disable(ann.id, home);
        await test.accounts.enable(ann.id, home);
      },
    ],
    [
      'was created while the account was being disabled',
      () => test.storage.accounts.replace({ ...ann, status: 'disabled', version: 2 }, 1),
    ],
    ['belongs to a removed account', () => test.accounts.remove(ann.id, home)],
    [
      'was mailed to a previous address',
      () => test.storage.accounts.replace({ ...ann, email: 'new@example.org', version: 2 }, 1),
    ],
  ])('rejects a link that %s', async (_, happen) => {
    const token = await requestReset();
    await happen();
    await expect(test.accounts.inspectPasswordReset(token)).rejects.toMatchObject(linkInvalid);
    await expect(reset(token)).rejects.toMatchObject(linkInvalid);
  });

  it('rejects a link for another purpose', async () => {
    await test.accounts.signUp({ email: 'bob@example.org', password }, home);
    const token = tokenIn(await test.takeMails());
    await expect(reset(token)).rejects.toMatchObject(linkInvalid);
    for (const forged of ['', 'x', `${token}x`])
      await expect(reset(forged)).rejects.toMatchObject(linkInvalid);
  });

  it('stores no token in the clear', async () => {
    const token = await requestReset();
    expect(await test.storage.accountTokens.find(token, 'reset_password', new Date(0))).toBeUndefined();
    expect(JSON.stringify(test.events)).not.toContain(token);
  });
});

describe('requesting a reset (OWASP ASVS 5.0 §6.3.8)', () => {
  it('gets the same answer for an address without an account, and sends no mail', async () => {
    for (const email of ['nobody@example.org', 'not an address', '']) {
      expect(await test.accounts.requestPasswordReset({ email }, home)).toBeUndefined();
      expect(await test.takeMails()).toEqual([]);
    }
    expect(test.events.at(-1)).toMatchObject({ type: 'account.password_reset_requested', accountId: null });
  });

  it('is answered before the look-up', async () => {
    let lookUps = 0;
    const watched = await startAccounts({
      wrapStorage: (storage) => ({
        ...storage,
        accounts: {
          ...storage.accounts,
          findByEmail: async (email) => {
            lookUps += 1;
            return storage.accounts.findByEmail(email);
          },
        },
      }),
    });
    await watched.accounts.requestPasswordReset({ email: ann.email }, home);
    expect(lookUps).toBe(0);
    await watched.takeMails();
    expect(lookUps).toBe(1);
    await watched.close();
  });

  it('sends mail in the language of the account, or else of the page', async () => {
    await test.accounts.requestPasswordReset({ email: ann.email, locale: 'de' }, home);
    expect((await test.takeMails())[0]?.body).toContain('Neues Passwort wählen');
    await test.accounts.setProfile(ann.id, { locale: 'en-GB' }, home);
    await test.accounts.requestPasswordReset({ email: ann.email, locale: 'de' }, home);
    expect((await test.takeMails())[0]?.body).toContain('Choose a new password');
  });
});
