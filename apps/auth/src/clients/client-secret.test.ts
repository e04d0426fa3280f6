import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClientSecret, findSecret, isClientSecret, toDigest } from './client-secret.ts';

const key = createSecretKey(randomBytes(32));
const now = new Date();
const record = (secret: string, expiresAt: Date | null = null) => ({
  digest: toDigest(secret, key),
  expiresAt,
});

describe('a client secret', () => {
  it('has a prefix that scanners can look for, 256 random bits and a checksum', () => {
    const secrets = Array.from({ length: 500 }, createClientSecret);
    expect(new Set(secrets).size).toBe(500);
    for (const secret of secrets) {
      expect(secret).toMatch(/^kdcs_[0-9A-Za-z]{49}$/);
      expect(isClientSecret(secret)).toBe(true);
    }
  });

  it('is recognized as mistyped without a database query', () => {
    const secret = createClientSecret();
    const [first = ''] = secret.slice(5);
    const other = first === 'a' ? 'b' : 'a';
    expect(isClientSecret(`kdcs_${other}${secret.slice(6)}`)).toBe(false);
    expect(isClientSecret(secret.slice(0, -1))).toBe(false);
    expect(isClientSecret(`${secret}\n`)).toBe(false);
    expect(isClientSecret('')).toBe(false);
  });

  it('has a stable checksum, because scanners depend on it', () => {
    expect(isClientSecret(`kdcs_${'0'.repeat(43)}2CZclj`)).toBe(true);
    expect(isClientSecret(`kdcs_${'Keydesk'.repeat(7).slice(0, 43)}2kTebY`)).toBe(true);
  });

  it('is found among several by its digest, until it expires', () => {
    const [old, current] = [createClientSecret(), createClientSecret()];
    const records = [record(old, new Date(now.getTime() + 1)), record(current)];
    expect(findSecret(records, old, { key, now })).toBe(records[0]);
    expect(findSecret(records, current, { key, now })).toBe(records[1]);
    expect(findSecret(records, createClientSecret(), { key, now })).toBeUndefined();
    expect(findSecret(records, old, { key, now: new Date(now.getTime() + 1) })).toBeUndefined();
  });

  it('is unknown under another key of the server', () => {
    const secret = createClientSecret();
    const other = createSecretKey(randomBytes(32));
    expect(findSecret([record(secret)], secret, { key: other, now })).toBeUndefined();
  });
});
