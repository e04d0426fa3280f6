import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  home,
  otherPassword,
  password,
  startAccounts,
  summaryOf,
  type TestAccounts,
  tokenIn,
} from '../accounts.fixture.ts';
import { costRatio } from '../passwords/cost.fixture.ts';

const email = 'ann@example.org';
const linkInvalid = { code: 'invalid_request', errors: [{ code: 'link_invalid' }] };

let test: TestAccounts;
beforeEach(async () => {
  test = await startAccounts();
});
afterEach(() => test.close());

async function signUp(request: object = {}) {
  await test.accounts.signUp({ email, password, ...request }, home);
  return test.takeMails();
}

async function idOf(address: string): Promise<string> {
  return (await test.accounts.findByEmail(address))?.id ?? '';
}

describe('signing up', () => {
  it('creates a customer with an unverified address and mails a link that verifies it', async () => {
    const mails = await signUp({ email: ' Ann@Example.org', name: 'Ann Miller', locale: 'de-AT' });
    const account = await test.accounts.findByEmail(email);
    expect(account).toMatchObject({
      email,
      emailVerified: false,
      role: 'customer',
      status: 'active',
      profile: { name: 'Ann Miller', locale: 'de-AT' },
    });
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ to: [email], from: 'no-reply@acme.example' });
    expect(mails[0]?.body).toContain('Adresse bestätigen');
    expect(await test.accounts.authenticate({ email, password }, home)).toMatchObject({ account: { email } });
  });

  it('verifies the address through the link, once', async () => {
    const token = tokenIn(await signUp());
    const accountId = await idOf(email);
    expect(await test.accounts.verifyEmail({ token, accountId }, home)).toMatchObject({
      emailVerified: true,
    });
    expect(await test.accounts.get(accountId)).toMatchObject({ emailVerified: true });
    await expect(test.accounts.verifyEmail({ token, accountId }, home)).rejects.toMatchObject(linkInvalid);
    expect(test.events.map(({ type }) => type)).toEqual(['account.signed_up', 'account.email_verified']);
  });

  it('does not verify the address of an attacker’s account when its owner follows the link', async () => {
    const token = tokenIn(await signUp());
    const otherAccount = await test.add();
    const proof = { token, accountId: otherAccount.id };
    await expect(test.accounts.verifyEmail(proof, home)).rejects.toMatchObject(linkInvalid);
    const accountId = await idOf(email);
    expect(await test.accounts.get(accountId)).toMatchObject({ emailVerified: false });
    // The link is still valid.
    expect(await test.accounts.verifyEmail({ token, accountId }, home)).toMatchObject({
      emailVerified: true,
    });
  });

  it('rejects a link that has expired or was mailed to a previous address', async () => {
    const token = tokenIn(await signUp());
    const accountId = await idOf(email);
    test.advance(86_400);
    await expect(test.accounts.verifyEmail({ token, accountId }, home)).rejects.toMatchObject(linkInvalid);

    await test.accounts.resendVerification(accountId, home);
    const again = tokenIn(await test.takeMails());
    const account = await test.accounts.get(accountId);
    await test.storage.accounts.replace({ ...account, email: 'new@example.org', version: 2 }, 1);
    await expect(test.accounts.verifyEmail({ token: again, accountId }, home)).rejects.toMatchObject(
      linkInvalid,
    );
    expect(await test.accounts.get(accountId)).toMatchObject({ emailVerified: false });
  });

  it('sends the link again on request while the address is unverified', async () => {
    await signUp();
    const accountId = await idOf(email);
    await test.accounts.resendVerification(accountId, home);
    const token = tokenIn(await test.takeMails());
    await test.accounts.verifyEmail({ token, accountId }, home);
    await test.accounts.resendVerification(accountId, home);
    expect(await test.takeMails()).toEqual([]);
  });

  it('sends the link again to a requested address, but not for a disabled account', async () => {
    await signUp();
    await test.accounts.requestVerification({ email: ' ANN@example.org' }, home);
    const proof = { token: tokenIn(await test.takeMails()), accountId: await idOf(email) };
    await test.accounts.disable(proof.accountId, home);
    await test.accounts.requestVerification({ email }, home);
    expect(await test.takeMails()).toEqual([]);
    await test.accounts.enable(proof.accountId, home);
    await expect(test.accounts.verifyEmail(proof, home)).rejects.toMatchObject(linkInvalid);
  });

  it('is rejected with every error at once, and sends no mail', async () => {
    const request = { email: 'ann@', password: 'short', name: 'Ann\r\nBcc: eve@example.org', locale: '!' };
    await expect(test.accounts.signUp(request, home)).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'email' }, { field: 'name' }, { field: 'locale' }, { field: 'password' }],
    });
    expect(await test.takeMails()).toEqual([]);
  });

  it('can be closed', async () => {
    const closed = await startAccounts({ env: { SIGN_UP_OPEN: 'false' } });
    expect(closed.accounts.isSignUpOpen).toBe(false);
    await expect(closed.accounts.signUp({ email, password }, home)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await closed.close();
  });

  it('puts no text from the request into mails, so that they cannot carry messages to strangers', async () => {
    const [mail] = await signUp({ name: 'Win at https://evil.example NOW' });
    expect(mail?.headers.join('\n')).not.toContain('evil');
    expect(mail?.body).not.toContain('evil');
  });
});

describe('signing up with the address of an existing account (OWASP ASVS 5.0 §6.3.8)', () => {
  it('gets the usual answer and notifies the owner', async () => {
    const owner = await test.add({ email });
    expect(await test.accounts.signUp({ email, password: otherPassword }, home)).toBeUndefined();
    expect(summaryOf(await test.takeMails())).toEqual([
      'You already have an account at Acme Help → ann@example.org',
    ]);
    expect(await test.accounts.get(owner.id)).toEqual(owner);
    expect(test.events.at(-1)).toMatchObject({ type: 'account.sign_up_repeated', accountId: owner.id });
  });

  it('is answered before the look-up', async () => {
    let lookUps = 0;
    const slow = await startAccounts({
      wrapStorage: (storage) => ({
        ...storage,
        accounts: {
          ...storage.accounts,
          insert: async (account) => {
            lookUps += 1;
            return storage.accounts.insert(account);
          },
        },
      }),
    });
    await slow.accounts.signUp({ email, password }, home);
    expect(lookUps).toBe(0);
    await slow.takeMails();
    expect(lookUps).toBe(1);
    await slow.close();
  });

  it('costs as much work before the answer as with any other address', async () => {
    const costly = await startAccounts({
      passwordParameters: { memoryKib: 8_192, passes: 2, parallelism: 1 },
      env: { MAIL_REQUESTS_PER_NETWORK: '0', MAILS_PER_RECIPIENT: '0' },
    });
    await costly.add({ email });
    const ratio = await costRatio(
      () => costly.accounts.signUp({ email, password }, home),
      (i) => costly.accounts.signUp({ email: `${i}@example.org`, password }, home),
      costly.takeMails,
    );
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
    await costly.close();
  });

  it('creates one account for several concurrent requests', async () => {
    await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        test.accounts.signUp({ email, password: `${password} ${i}` }, { address: `192.0.2.${i}` }),
      ),
    );
    await test.takeMails();
    expect(test.events.filter(({ type }) => type === 'account.signed_up')).toHaveLength(1);
    expect(test.events.filter(({ type }) => type === 'account.sign_up_repeated')).toHaveLength(4);
  });

  it('sends the link again while the address is unverified, and does not change the password', async () => {
    await signUp();
    const mails = await signUp({ password: otherPassword });
    expect(summaryOf(mails)).toEqual(['Confirm your e-mail address for Acme Help → ann@example.org']);
    expect(await test.accounts.authenticate({ email, password: otherPassword }, home)).toBeUndefined();
    const proof = { token: tokenIn(mails), accountId: await idOf(email) };
    expect(await test.accounts.verifyEmail(proof, home)).toMatchObject({ emailVerified: true });
  });

  it('sends no mail to the owner of a disabled account', async () => {
    const owner = await test.add({ email });
    await test.accounts.disable(owner.id, home);
    expect(await signUp()).toEqual([]);
  });
});

describe('mail that strangers cause', () => {
  it('to one mailbox is limited silently', async () => {
    for (let i = 0; i < 8; i += 1)
      await test.accounts.signUp({ email, password }, { address: `192.0.2.${i}` });
    expect(await test.takeMails()).toHaveLength(5);
    await test.accounts.requestPasswordReset({ email }, { address: '192.0.2.99' });
    await test.accounts.requestVerification({ email }, { address: '192.0.2.98' });
    expect(await test.takeMails()).toEqual([]);
  });

  it('from one network is limited across all kinds of requests', async () => {
    const { id: accountId } = await test.add();
    for (let i = 0; i < 10; i += 1) {
      await test.accounts.signUp({ email: `${i}@example.org`, password }, home);
      await test.accounts.requestPasswordReset({ email: `${i}@example.org` }, home);
    }
    const refusal = {
      code: 'too_many_requests',
      status: 429,
      retryAfterSeconds: expect.any(Number),
    };
    await expect(test.accounts.signUp({ email, password }, home)).rejects.toMatchObject(refusal);
    await expect(test.accounts.requestPasswordReset({ email }, home)).rejects.toMatchObject(refusal);
    await expect(test.accounts.requestVerification({ email }, home)).rejects.toMatchObject(refusal);
    await expect(test.accounts.resendVerification(accountId, home)).rejects.toMatchObject(refusal);
    const change = { accountId, newEmail: email, currentPassword: password };
    await expect(test.accounts.requestEmailChange(change, home)).rejects.toMatchObject(refusal);
  });
});
