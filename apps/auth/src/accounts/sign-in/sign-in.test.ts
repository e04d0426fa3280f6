import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, otherPassword, password, startAccounts, type TestAccounts } from '../accounts.fixture.ts';
import { costRatio } from '../passwords/cost.fixture.ts';
import { hashPassword } from '../passwords/password-hash.ts';

describe('signing in', () => {
  let test: TestAccounts;
  beforeAll(async () => {
    test = await startAccounts();
  });
  afterAll(() => test.close());

  it('finds the account, however its address is capitalized', async () => {
    const { id } = await test.add({ email: 'Ann@Example.org' });
    for (const email of ['ann@example.org', ' ANN@EXAMPLE.ORG '])
      expect(await test.accounts.authenticate({ email, password }, home)).toMatchObject({ account: { id } });
    expect(test.events).toEqual([expect.objectContaining({ type: 'account.added', accountId: id })]);
  });

  it('accepts a password however a keyboard composes its characters', async () => {
    const { email } = await test.add({ password: 'gr\u00FCne Wiesen am See' });
    const typed = 'gru\u0308ne Wiesen am See';
    expect(await test.accounts.authenticate({ email, password: typed }, home)).toBeDefined();
  });

  it('rejects passwords longer than the maximum', async () => {
    const account = await test.add();
    const long = 'x'.repeat(257);
    const passwordHash = await hashPassword(long, { memoryKib: 64, passes: 1, parallelism: 1 });
    await test.storage.accounts.replace({ ...account, passwordHash, version: 2 }, 1);
    for (const typed of [long, long.slice(0, 256), 'x'.repeat(1_000_000)])
      expect(
        await test.accounts.authenticate({ email: account.email, password: typed }, home),
      ).toBeUndefined();
  });

  it('hashes the password again after the cost parameters were raised', async () => {
    const { id, email, version, updatedAt } = await test.add();
    const costlier = await startAccounts({
      passwordParameters: { memoryKib: 128, passes: 1, parallelism: 1 },
      wrapStorage: () => test.storage,
    });
    expect(await costlier.accounts.authenticate({ email, password: 'wrong' }, home)).toBeUndefined();
    expect((await test.accounts.get(id)).passwordHash).toContain('$m=64,');
    expect(await costlier.accounts.authenticate({ email, password }, home)).toBeDefined();
    await costlier.close();
    expect(await test.accounts.get(id)).toMatchObject({
      passwordHash: expect.stringContaining('$m=128,'),
      version: version + 1,
      updatedAt,
    });
    expect(await test.accounts.authenticate({ email, password }, home)).toBeDefined();
  });
});

describe('a sign-in that fails (OWASP ASVS 5.0 §6.3.8)', () => {
  let test: TestAccounts;
  beforeAll(async () => {
    test = await startAccounts({ passwordParameters: { memoryKib: 8_192, passes: 2, parallelism: 1 } });
  });
  afterAll(() => test.close());

  it('gives one answer for an unknown address, a wrong password, a disabled account and one without a password', async () => {
    const known = await test.add();
    const disabled = await test.add();
    await test.accounts.disable(disabled.id, home);
    const without = await test.add({ password: undefined });
    const attempts = [
      { email: 'nobody@example.org', password, reason: 'unknown_account' },
      { email: 'not an address', password, reason: 'unknown_account' },
      { email: '', password: '', reason: 'unknown_account' },
      { email: known.email, password: otherPassword, reason: 'wrong_password' },
      { email: known.email, password: '', reason: 'wrong_password' },
      { email: without.email, password: '', reason: 'wrong_password' },
      { email: disabled.email, password, reason: 'disabled' },
    ];
    for (const { reason, ...credentials } of attempts) {
      expect(await test.accounts.authenticate(credentials, home)).toBeUndefined();
      // Only the audit log contains the reason.
      expect(test.events.at(-1)).toMatchObject({ type: 'account.sign_in_failed', details: { reason } });
    }
  });

  it('costs as much work for an unknown address as for a known one', async () => {
    const { email: known } = await test.add();
    const attempt = (email: string) => (i: number) =>
      test.accounts.authenticate({ email, password: 'wrong' }, { address: `198.51.100.${i}` });
    const ratio = await costRatio(attempt(known), attempt('unknown@example.org'));
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
  });

  it('records neither the password nor the address that was typed', async () => {
    await test.accounts.authenticate({ email: 'typed@example.org', password: 'typed secret' }, home);
    expect(JSON.stringify(test.events)).not.toContain('typed');
    expect(JSON.stringify(test.events)).not.toContain(password);
  });
});
