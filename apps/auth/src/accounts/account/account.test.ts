import { describe, expect, it } from 'vitest';
import { exampleAccount } from './account.fixture.ts';
import { scopesOfClaims, toClaims, updateAccount } from './account.ts';

const later = new Date('2026-03-02T08:30:00.999Z');

const ann = exampleAccount({
  id: 'ann',
  email: 'ann@example.org',
  emailVerified: true,
  profile: {
    name: 'Ann Miller',
    locale: 'en-GB',
    phone_number: '+441632960001',
    address: { locality: 'Leeds', country: 'GB' },
  },
  passwordHash: 'never shown',
  role: 'agent',
  updatedAt: new Date('2026-03-01T12:00:00.999Z'),
});

describe('the claims about an account (OpenID Connect Core §5.1)', () => {
  it('include the profile and exclude credentials', () => {
    expect(toClaims(ann)).toEqual({
      sub: 'ann',
      name: 'Ann Miller',
      locale: 'en-GB',
      updated_at: 1_772_366_400,
      email: 'ann@example.org',
      email_verified: true,
      phone_number: '+441632960001',
      phone_number_verified: false,
      address: { locality: 'Leeds', country: 'GB' },
    });
  });

  it('omit what has no value (§5.3.2)', () => {
    const stranger = exampleAccount({ id: 'x', email: 'x@example.org' });
    expect(Object.keys(toClaims(stranger)).sort()).toEqual(['email', 'email_verified', 'sub', 'updated_at']);
  });

  it('never contain the subject of another account, whatever the profile contains', () => {
    const forged = exampleAccount({ id: 'eve', profile: { name: 'Eve', ...{ sub: 'ann' } } });
    expect(toClaims(forged).sub).toBe('eve');
  });

  it('belong to the scopes that the consent page shows (§5.4)', () => {
    expect(scopesOfClaims(['name', 'locale', 'phone_number', 'acr'])).toEqual(['profile', 'phone']);
  });
});

describe('the next version of an account', () => {
  it('has a new version number and time, and leaves the previous one unchanged', () => {
    const before = structuredClone(ann);
    expect(updateAccount(ann, { role: 'admin' }, later)).toEqual({
      ...ann,
      role: 'admin',
      updatedAt: later,
      version: 2,
    });
    expect(ann).toEqual(before);
  });

  it('keeps a phone number verified only while it is unchanged', () => {
    const verified = { ...ann, phoneNumberVerified: true };
    expect(updateAccount(verified, { role: 'admin' }, later).phoneNumberVerified).toBe(true);
    expect(
      updateAccount(verified, { profile: { ...ann.profile, name: 'A.' } }, later).phoneNumberVerified,
    ).toBe(true);
    expect(
      updateAccount(verified, { profile: { phone_number: '+441632960002' } }, later).phoneNumberVerified,
    ).toBe(false);
  });
});
