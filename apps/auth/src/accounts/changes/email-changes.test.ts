import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Account } from '../account/account.ts';
import { endSignIns } from '../account/credential-epoch.ts';
import {
  home,
  otherPassword,
  password,
  startAccounts,
  summaryOf,
  type TestAccounts,
  tokenIn,
} from '../accounts.fixture.ts';

const newEmail = 'ann@example.net';
const linkInvalid = { code: 'invalid_request', errors: [{ code: 'link_invalid' }] };

let test: TestAccounts;
let ann: Account;
beforeEach(async () => {
  test = await startAccounts();
  ann = await test.add({ email: 'ann@example.org' });
});
afterEach(() => test.close());

async function request(members: object = {}) {
  const change = { accountId: ann.id, newEmail, currentPassword: password, ...members };
  await test.accounts.requestEmailChange(change, home);
  return test.takeMails();
}

/** Returns the proof of a user who has just signed in. */
function proofOf(token: string, { id: accountId, credentialEpoch }: Account = ann) {
  return { token, accountId, credentialEpoch, signedInAt: new Date('2026-03-01T11:59:00Z') };
}

describe('changing the address of an account', () => {
  it('notifies both addresses and takes effect through the link sent to the new one', async () => {
    const mails = await request({ newEmail: ' Ann@EXAMPLE.net' });
    expect(summaryOf(mails)).toEqual([
      'A new e-mail address for your account at Acme Help was requested → ann@example.org',
      'Confirm your new e-mail address for Acme Help → ann@example.net',
    ]);
    expect((await test.accounts.get(ann.id)).email).toBe('ann@example.org');

    const proof = proofOf(tokenIn(mails, newEmail));
    const changed = await test.accounts.confirmEmailChange(proof, home);
    expect(changed).toMatchObject({ id: ann.id, email: newEmail, emailVerified: true });
    expect(summaryOf(await test.takeMails())).toEqual([
      'Your e-mail address at Acme Help was changed → ann@example.org',
    ]);
    expect(test.events.at(-1)).toMatchObject({
      type: 'account.email_changed',
      details: { from: 'ann@example.org', to: newEmail },
    });
    expect(await test.accounts.authenticate({ email: newEmail, password }, home)).toBeDefined();
    expect(await test.accounts.authenticate({ email: ann.email, password }, home)).toBeUndefined();
    await expect(test.accounts.confirmEmailChange(proof, home)).rejects.toMatchObject(linkInvalid);
  });

  it('requires the password', async () => {
    await expect(request({ currentPassword: otherPassword })).rejects.toMatchObject({
      errors: [{ field: 'current_password', code: 'wrong_password' }],
    });
    expect(await test.takeMails()).toEqual([]);
  });

  it.each([
    { typed: 'ann@', code: 'invalid' },
    { typed: 'ANN@example.org', code: 'unchanged' },
    { typed: 'ann@example.net\r\nBcc: eve@example.org', code: 'invalid' },
  ])('rejects $typed', async ({ typed, code }) => {
    await expect(request({ newEmail: typed })).rejects.toMatchObject({ errors: [{ field: 'email', code }] });
    expect(await test.takeMails()).toEqual([]);
  });

  it('does not give the account to a stranger whose address was mistyped', async () => {
    const token = tokenIn(await request(), newEmail);
    const stranger = await test.add();
    const proof = proofOf(token, stranger);
    await expect(test.accounts.confirmEmailChange(proof, home)).rejects.toMatchObject(linkInvalid);
    expect((await test.accounts.get(stranger.id)).email).toBe(stranger.email);
    // A link for one purpose is invalid for another.
    await expect(test.accounts.inspectPasswordReset(token)).rejects.toMatchObject(linkInvalid);
    await expect(test.accounts.verifyEmail({ token, accountId: ann.id }, home)).rejects.toMatchObject(
      linkInvalid,
    );
  });

  it('fails after the owner has ended the sign-in that confirms it', async () => {
    const token = tokenIn(await request(), newEmail);
    const proof = proofOf(token);
    await test.storage.accounts.replace(endSignIns(ann, {}, new Date()), ann.version);
    await expect(test.accounts.confirmEmailChange(proof, home)).rejects.toMatchObject(linkInvalid);
    expect((await test.accounts.get(ann.id)).email).toBe(ann.email);
  });

  it('invalidates every other link, sent to the old or any other address', async () => {
    await test.accounts.requestPasswordReset({ email: ann.email }, home);
    const reset = tokenIn(await test.takeMails());
    const other = tokenIn(await request({ newEmail: 'ann@example.com' }), 'ann@example.com');
    const token = tokenIn(await request(), newEmail);
    await test.accounts.confirmEmailChange(proofOf(token), home);
    const late = test.accounts.confirmEmailChange(proofOf(other), home);
    await expect(late).rejects.toMatchObject(linkInvalid);
    await expect(
      test.accounts.resetPassword({ token: reset, newPassword: otherPassword }, home),
    ).rejects.toMatchObject(linkInvalid);
  });
});

describe('changing to the address of another account (OWASP ASVS 5.0 §6.3.8)', () => {
  it('gets the usual answer and notifies the owner of that account', async () => {
    await test.add({ email: newEmail });
    expect(summaryOf(await request())).toEqual([
      'A new e-mail address for your account at Acme Help was requested → ann@example.org',
      'You already have an account at Acme Help → ann@example.net',
    ]);
  });

  it('sends no mail there if that account is disabled or the limit of mails to it is reached', async () => {
    const mailsToOldAddress = [
      'A new e-mail address for your account at Acme Help was requested → ann@example.org',
    ];
    const owner = await test.add({ email: newEmail });
    await test.accounts.disable(owner.id, home);
    expect(summaryOf(await request())).toEqual(mailsToOldAddress);
    await test.accounts.remove(owner.id, home);
    for (let i = 0; i < 4; i += 1) expect(await request()).toHaveLength(2);
    expect(summaryOf(await request())).toEqual(mailsToOldAddress);
  });

  it('fails if another account has taken the address in the meantime', async () => {
    const token = tokenIn(await request(), newEmail);
    const other = await test.add({ email: newEmail });
    const proof = proofOf(token);
    await expect(test.accounts.confirmEmailChange(proof, home)).rejects.toMatchObject({
      code: 'conflict',
      errors: [{ field: 'email', code: 'taken' }],
    });
    expect(await test.accounts.findByEmail(newEmail)).toEqual(other);
    expect((await test.accounts.get(ann.id)).email).toBe('ann@example.org');
  });
});
