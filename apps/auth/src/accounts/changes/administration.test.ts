import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { home, otherPassword, password, startAccounts, type TestAccounts } from '../accounts.fixture.ts';

const admin = { address: '192.0.2.9', actor: 'an admin', requestId: 'request', clientId: 'console' };

let test: TestAccounts;
beforeEach(async () => {
  test = await startAccounts();
});
afterEach(() => test.close());

describe('administering accounts', () => {
  it('adds an account whose address counts as verified', async () => {
    const request = { email: 'Agent@Example.org', role: 'agent', password, name: 'Agent Smith' } as const;
    const account = await test.accounts.add(request, admin);
    expect(account).toMatchObject({ email: 'agent@example.org', emailVerified: true, role: 'agent' });
    expect(await test.accounts.authenticate({ email: account.email, password }, home)).toMatchObject({
      account,
    });
    expect(test.events[0]).toEqual({
      type: 'account.added',
      at: account.createdAt,
      accountId: account.id,
      origin: admin,
      details: { role: 'agent' },
    });
    expect(await test.takeMails()).toEqual([]);
  });

  it('adds an account without a password, whose owner can set one by mail', async () => {
    const { email, passwordHash } = await test.add({ password: undefined });
    expect(passwordHash).toBeNull();
    await test.accounts.requestPasswordReset({ email }, home);
    expect(await test.takeMails()).toHaveLength(1);
  });

  it('rejects an unacceptable password, an invalid address and one that is in use', async () => {
    await expect(test.add({ email: 'x', password: 'short' })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'email' }, { field: 'password' }],
    });
    const { email } = await test.add();
    await expect(test.add({ email })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('changes the role and records the previous one', async () => {
    const { id } = await test.add();
    expect(await test.accounts.setRole(id, 'admin', admin)).toMatchObject({ role: 'admin', version: 2 });
    expect(test.events.at(-1)).toMatchObject({
      type: 'account.role_changed',
      origin: admin,
      details: { from: 'customer', to: 'admin' },
    });
  });

  it('rejects sign-ins of a disabled account until it is enabled again', async () => {
    const { id, email } = await test.add();
    const canSignIn = async () => (await test.accounts.authenticate({ email, password }, home)) !== undefined;
    expect(await test.accounts.disable(id, admin)).toMatchObject({ status: 'disabled' });
    expect(test.revoked).toEqual([id]);
    expect(await canSignIn()).toBe(false);
    await test.accounts.requestPasswordReset({ email }, home);
    expect(await test.takeMails()).toEqual([]);
    expect(await test.accounts.enable(id, admin)).toMatchObject({ status: 'active' });
    expect(await canSignIn()).toBe(true);
    expect(test.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['account.disabled', 'account.enabled']),
    );
  });

  it('removes an account with its sessions, and frees its address for another person', async () => {
    const { id, email } = await test.add();
    await test.accounts.remove(id, admin);
    expect([test.revoked, test.retiredOwners]).toEqual([[id], [id]]);
    expect(await test.accounts.find(id)).toBeUndefined();
    expect((await test.add({ email })).id).not.toBe(id);
  });

  it('rejects unknown accounts with `not_found`', async () => {
    const attempts: (() => Promise<unknown>)[] = [
      () => test.accounts.get('x'),
      () => test.accounts.setRole('x', 'admin', admin),
      () => test.accounts.disable('x', admin),
      () => test.accounts.enable('x', admin),
      () => test.accounts.remove('x', admin),
      () => test.accounts.setProfile('x', {}, admin),
      () => test.accounts.resendVerification('x', home),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    expect(test.events).toEqual([]);
  });

  it('stores the profile and rejects claims that only the server may set', async () => {
    const { id } = await test.add();
    const profile = { name: 'Ann', zoneinfo: 'Europe/Berlin', address: { country: 'DE' } };
    expect(await test.accounts.setProfile(id, profile, home)).toMatchObject({ profile });
    expect((await test.accounts.get(id)).profile).toEqual(profile);
    const forged = { name: 'Ann', email_verified: true };
    await expect(test.accounts.setProfile(id, forged, home)).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  it('loses no change when several are concurrent', async () => {
    const { id } = await test.add();
    await Promise.all([
      test.accounts.setRole(id, 'agent', admin),
      test.accounts.setProfile(id, { name: 'Ann' }, home),
      test.accounts.setPassword({ accountId: id, newPassword: otherPassword }, admin),
      test.accounts.disable(id, admin),
    ]);
    const account = await test.accounts.get(id);
    expect(account).toMatchObject({
      role: 'agent',
      profile: { name: 'Ann' },
      status: 'disabled',
      version: 5,
    });
  });
});

describe('the audit log of accounts', () => {
  it('contains no secrets', async () => {
    const { id, email } = await test.add();
    await test.accounts.authenticate({ email, password }, home);
    await test.accounts.changePassword(
      { accountId: id, currentPassword: password, newPassword: otherPassword },
      home,
    );
    const record = JSON.stringify(test.events);
    for (const secret of [password, otherPassword, '$argon2id', 'passwordHash'])
      expect(record).not.toContain(secret);
  });
});
