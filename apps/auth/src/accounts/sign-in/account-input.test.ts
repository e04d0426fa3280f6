import { AppError } from '@keydesk/server';
import { describe, expect, it } from 'vitest';
import { requireProfile } from './account-input.ts';

function invalidFields(profile: unknown): string[] {
  try {
    requireProfile(profile);
    return [];
  } catch (err) {
    if (!(err instanceof AppError) || err.code !== 'validation_failed') throw err;
    return err.errors.map(({ field }) => field);
  }
}

describe('a profile (OpenID Connect Core §5.1)', () => {
  it.each([
    {},
    { name: "Ann O'Müller — 安", nickname: 'a' },
    { birthdate: '1990-02-28' },
    { birthdate: '0000-02-28' },
    { birthdate: '1990' },
    { zoneinfo: 'Europe/Berlin', locale: 'de-DE' },
    { website: 'https://ann.example/', phone_number: '+441632960001' },
    { address: { formatted: 'Street 1\nLeeds', country: 'GB' } },
  ])('accepts %j', (profile) => {
    expect(requireProfile(profile)).toEqual(profile);
  });

  it.each([
    { name: 'Ann\r\nBcc: eve@example.org' },
    { name: 'Ann\u0000' },
    { name: '   ' },
    { name: 'x'.repeat(201) },
    { name: { first: 'Ann' } },
    { birthdate: '28.02.1990' },
    { birthdate: '1990-13-01' },
    { zoneinfo: 'Mars/Olympus' },
    { locale: 'english!' },
    { website: 'javascript:alert(1)' },
    { picture: 'data:image/png;base64,AAAA' },
    { phone_number: '01632 960001' },
  ])('rejects %j', (profile) => {
    expect(invalidFields(profile)).toEqual([Object.keys(profile)[0]]);
  });

  it.each(['email', 'email_verified', 'phone_number_verified', 'sub', 'role', 'updated_at'])(
    'rejects %s, which only the server sets',
    (claim) => {
      expect(() => requireProfile({ [claim]: true })).toThrow(AppError);
    },
  );

  it('reports every error at once', () => {
    expect(invalidFields({ name: '', locale: '!', address: { country: '\n' } })).toEqual([
      'name',
      'locale',
      'address.country',
    ]);
  });
});
