import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  home,
  otherPassword,
  password,
  startAccounts,
  summaryOf,
  type TestAccounts,
  tokenIn,
} from './accounts.fixture.ts';
import { costRatio } from './cost.fixture.ts';

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
  it('makes a customer whose address is not verified, and mails a link that verifies it', async () => {
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

  it('verifies the address by the link, once', async () => {
    const token = tokenIn(await signUp());
    const accountId = await idOf(email);
    expect(await test.accounts.verifyEmail({ token, accountId }, home)).toMatchObject({
      emailVerified: true,
    });
    expect(await test.accounts.get(accountId)).toMatchObject({ emailVerified: true });
    await expect(test.accounts.verifyEmail({ token, accountId }, home)).rejects.toMatchObject(linkInvalid);
    expect(test.events.map(({ type }) => type)).toEqual(['account.signed_up', 'account.email_verified']);
  });

  it('does not verify the address of an account that a stranger opened, when its owner follows the link', async () => {
    const token = tokenIn(await signUp());
    const somebodyElse = await test.add();
    const proof = { token, accountId: somebodyElse.id };
    await expect(test.accounts.verifyEmail(proof, home)).rejects.toMatchObject(linkInvalid);
    const accountId = await idOf(email);
    expect(await test.accounts.get(accountId)).toMatchObject({ emailVerified: false });
    // The link is not used up by that.
    expect(await test.accounts.verifyEmail({ token, accountId }, home)).toMatchObject({
      emailVerified: true,
    });
  });

  it('does not verify by a link that has expired, or that was mailed to an address since changed', async () => {
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

  it('sends the link again on request, while there is something to verify', async () => {
    await signUp();
    const accountId = await idOf(email);
    await test.accounts.resendVerification(accountId, home);
    const token = tokenIn(await test.takeMails());
    await test.accounts.verifyEmail({ token, accountId }, home);
    await test.accounts.resendVerification(accountId, home);
    expect(await test.takeMails()).toEqual([]);
  });

  it('sends the link again to an address that somebody names, but not for a disabled account', async () => {
    await signUp();
    await test.accounts.requestVerification({ email: ' ANN@example.org' }, home);
    const proof = { token: tokenIn(await test.takeMails()), accountId: await idOf(email) };
    await test.accounts.disable(proof.accountId, home);
    await test.accounts.requestVerification({ email }, home);
    expect(await test.takeMails()).toEqual([]);
    await test.accounts.enable(proof.accountId, home);
    await expect(test.accounts.verifyEmail(proof, home)).rejects.toMatchObject(linkInvalid);
  });

  it('is refused with every fault at once, and writes to nobody', async () => {
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

  it('puts nothing into a mail that the applicant could say to a stranger', async () => {
    const [mail] = await signUp({ name: 'Win at https://evil.example NOW' });
    expect(mail?.headers.join('\n')).not.toContain('evil');
    expect(mail?.body).not.toContain('evil');
  });
});

describe('signing up with the address of an existing account (OWASP ASVS 5.0 §6.3.8)', () => {
  it('is answered as any other, and told to the owner', async () => {
    const owner = await test.add({ email });
    expect(await test.accounts.signUp({ email, password: otherPassword }, home)).toBeUndefined();
    expect(summaryOf(await test.takeMails())).toEqual([
      'You already have an account at Acme Help → ann@example.org',
    ]);
    expect(await test.accounts.get(owner.id)).toEqual(owner);
    expect(test.events.at(-1)).toMatchObject({ type: 'account.sign_up_repeated', accountId: owner.id });
  });

  it('is answered before it is known whether there is one', async () => {
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

  it('costs as much work, until it is answered, as with any other address', async () => {
    const dear = await startAccounts({
      passwordParameters: { memoryKib: 8_192, passes: 2, parallelism: 1 },
      env: { MAIL_REQUESTS_PER_NETWORK: '0', MAILS_PER_RECIPIENT: '0' },
    });
    await dear.add({ email });
    const ratio = await costRatio(
      () => dear.accounts.signUp({ email, password }, home),
      (i) => dear.accounts.signUp({ email: `${i}@example.org`, password }, home),
      dear.takeMails,
    );
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
    await dear.close();
  });

  it('gives the account to one of those that sign up at the same moment', async () => {
    await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        test.accounts.signUp({ email, password: `${password} ${i}` }, { address: `192.0.2.${i}` }),
      ),
    );
    await test.takeMails();
    expect(test.events.filter(({ type }) => type === 'account.signed_up')).toHaveLength(1);
    expect(test.events.filter(({ type }) => type === 'account.sign_up_repeated')).toHaveLength(4);
  });

  it('sends the link again while the address is not verified, and leaves the password as it was', async () => {
    await signUp();
    const mails = await signUp({ password: otherPassword });
    expect(summaryOf(mails)).toEqual(['Confirm your e-mail address for Acme Help → ann@example.org']);
    expect(await test.accounts.authenticate({ email, password: otherPassword }, home)).toBeUndefined();
    const proof = { token: tokenIn(mails), accountId: await idOf(email) };
    expect(await test.accounts.verifyEmail(proof, home)).toMatchObject({ emailVerified: true });
  });

  it('writes nothing to the owner of a disabled account', async () => {
    const owner = await test.add({ email });
    await test.accounts.disable(owner.id, home);
    expect(await signUp()).toEqual([]);
  });
});

describe('the mail that strangers can cause', () => {
  it('to one mailbox is limited, and nobody is told', async () => {
    for (let i = 0; i < 8; i += 1)
      await test.accounts.signUp({ email, password }, { address: `192.0.2.${i}` });
    expect(await test.takeMails()).toHaveLength(5);
    await test.accounts.requestPasswordReset({ email }, { address: '192.0.2.99' });
    await test.accounts.requestVerification({ email }, { address: '192.0.2.98' });
    expect(await test.takeMails()).toEqual([]);
  });

  it('from one network is limited, whatever is asked for', async () => {
    const { id: accountId } = await test.add();
    for (let i = 0; i < 10; i += 1) {
      await test.accounts.signUp({ email: `${i}@example.org`, password }, home);
      await test.accounts.requestPasswordReset({ email: `${i}@example.org` }, home);
    }
    const refusal = {
      code: 'too_many_requests',
      status: 429,
      headers: { 'Retry-After': expect.any(String) },
    };
    await expect(test.accounts.signUp({ email, password }, home)).rejects.toMatchObject(refusal);
    await expect(test.accounts.requestPasswordReset({ email }, home)).rejects.toMatchObject(refusal);
    await expect(test.accounts.requestVerification({ email }, home)).rejects.toMatchObject(refusal);
    await expect(test.accounts.resendVerification(accountId, home)).rejects.toMatchObject(refusal);
    const change = { accountId, newEmail: email, currentPassword: password };
    await expect(test.accounts.requestEmailChange(change, home)).rejects.toMatchObject(refusal);
  });
});
