import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createIssuedAccessTokenFinder } from './issued-access-tokens.ts';

const NOW = 1_772_366_400;
const issuer = 'https://auth.example';
const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const audience = 'https://api.example';

const find = createIssuedAccessTokenFinder({
  issuer,
  apiAudience: audience,
  keys: () => [{ kid: 'ours', algorithm: 'ES256', publicKey: ours.publicKey }],
  artifacts: { find: async () => undefined },
  now: () => new Date(NOW * 1_000),
});

interface Changes {
  header?: object;
  claims?: object;
  key?: KeyObject;
}

function sign({ header, claims, key = ours.privateKey }: Changes = {}): Promise<string> {
  const usual = {
    iss: issuer,
    aud: audience,
    sub: 'ada',
    client_id: 'app',
    jti: '1',
    iat: NOW,
    exp: NOW + 1,
  };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'ours', ...header })
    .sign(key);
}

describe('an access token of our own (RFC 9068 §4)', () => {
  it('is accepted', async () => {
    expect((await find(await sign()))?.claims).toMatchObject({ iss: issuer, sub: 'ada' });
  });

  it.each<[string, Changes]>([
    ['is an ID token or a logout token (RFC 8725 §3.11)', { header: { typ: 'logout+jwt' } }],
    ['has no type', { header: { typ: undefined } }],
    ['names another key', { header: { kid: 'other' } }],
    ['is signed by another key', { key: stranger.privateKey }],
    ['has another issuer', { claims: { iss: 'https://other.example' } }],
    ['is for another API', { claims: { aud: 'https://other.example' } }],
    ['has expired', { claims: { exp: NOW } }],
    ['was issued under a deleted grant', { claims: { grant_id: 'gone' } }],
    ['points to its own key (RFC 8725 §3.10)', { header: { jku: 'https://other.example' } }],
  ])('is rejected if it %s', async (_, changes) => {
    expect(await find(await sign(changes))).toBeUndefined();
  });

  it('is rejected if anything is added or missing', async () => {
    const token = await sign();
    for (const text of [
      `${token}.`,
      `${token}.x`,
      // Not canonical base64url, which Node nevertheless decodes (RFC 7515 §2).
      `${token}=`,
      token.replace('.', '=.'),
      ` ${token}`,
      token.replace(/.$/, ''),
      token.split('.')[0] ?? '',
      '',
      '..',
    ])
      expect(await find(text)).toBeUndefined();
  });
});
