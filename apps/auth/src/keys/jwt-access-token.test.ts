import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createJwtAccessTokenReader } from './jwt-access-token.ts';

const NOW = 1_772_366_400;
const issuer = 'https://auth.example';
const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const read = createJwtAccessTokenReader({
  issuer,
  keys: () => [{ kid: 'ours', algorithm: 'ES256', publicKey: ours.publicKey }],
  clock: () => NOW * 1_000,
});

interface Changes {
  header?: object;
  claims?: object;
  key?: KeyObject;
}

function sign({ header, claims, key = ours.privateKey }: Changes = {}): Promise<string> {
  return new SignJWT({ iss: issuer, sub: 'ada', exp: NOW + 1, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'ours', ...header })
    .sign(key);
}

describe('an access token of our own (RFC 9068 §4)', () => {
  it('is read', async () => {
    expect(read(await sign())).toMatchObject({ iss: issuer, sub: 'ada' });
  });

  it.each<[string, Changes]>([
    ['is an ID token or a logout token (RFC 8725 §3.11)', { header: { typ: 'logout+jwt' } }],
    ['says no type', { header: { typ: undefined } }],
    ['names another key', { header: { kid: 'other' } }],
    ['is signed by another key', { key: stranger.privateKey }],
    ['is of another issuer', { claims: { iss: 'https://other.example' } }],
    ['has expired', { claims: { exp: NOW } }],
  ])('is none when it %s', async (_, changes) => {
    expect(read(await sign(changes))).toBeUndefined();
  });

  it('is none when something is added to it or missing, or it is nothing of the kind', async () => {
    const token = await sign();
    for (const text of [
      `${token}.`,
      `${token}.x`,
      token.replace(/.$/, ''),
      token.split('.')[0] ?? '',
      '',
      '..',
    ])
      expect(read(text)).toBeUndefined();
  });
});
