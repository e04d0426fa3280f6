import { encodeToken, signEs256, startTestIssuer, useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { createManualClock, startResourceServer } from '../resource-server.fixture.ts';

const invalidToken = { status: 401, challenge: expect.stringContaining('error="invalid_token"') };

// A manual clock, because a busy machine may take longer than the tolerance.
const { now } = createManualClock();
const issuer = useStarted(() => startTestIssuer({ now }));
const server = useStarted(() => startResourceServer(issuer, { now }));

describe('a valid access token (RFC 9068 §2)', () => {
  it('yields subject, client, scopes, role and authentication (§2.2.1)', async () => {
    const token = issuer.token({
      sub: 'user-1',
      client_id: 'app-1',
      scope: 'a b',
      role: 'agent',
      jti: 'id-1',
      acr: 'gold',
      amr: ['pwd', 'otp'],
      auth_time: 1_700_000_000,
    });
    expect(await server.present(token)).toMatchObject({
      status: 200,
      body: {
        subject: 'user-1',
        clientId: 'app-1',
        scopes: ['a', 'b'],
        role: 'agent',
        acr: 'gold',
        amr: ['pwd', 'otp'],
        authTimeSeconds: 1_700_000_000,
        jti: 'id-1',
        expiresAtSeconds: expect.any(Number),
        claims: { iss: issuer.issuer },
        logged: { subject: 'user-1', clientId: 'app-1' },
      },
    });
  });

  it.each([
    ['typ in upper case', {}, { typ: 'AT+JWT' }],
    ['typ with its prefix', {}, { typ: 'application/at+jwt' }],
    ['our audience among others', { aud: ['https://other.example', 'https://api.example'] }, {}],
    ['no scope', { scope: undefined }, {}],
    ['iat and nbf within the tolerance', { iat: inSeconds(3), nbf: inSeconds(3) }, {}],
    ['exp within the tolerance', { exp: inSeconds(-3) }, {}],
    ['unknown claims and header parameters', { acr: '1', x: {} }, { cty: 'json', 'x-a': 1 }],
  ])('is accepted with %s', async (_, claims, header) => {
    expect(await server.present(issuer.token(claims, { header }))).toMatchObject({ status: 200 });
  });
});

describe('the claims of a token (RFC 9068 §2.2, RFC 7519 §4.1)', () => {
  it.each([
    ['no iss', { iss: undefined }],
    ['another issuer', { iss: 'https://other.example' }],
    ['a list of issuers', () => ({ iss: [issuer.issuer] })],
    ['an issuer that only starts with ours', () => ({ iss: `${issuer.issuer}/` })],
    ['no aud', { aud: undefined }],
    ['another audience', { aud: 'https://other.example' }],
    ['an empty audience', { aud: [] }],
    ['an audience that only starts with ours', { aud: 'https://api.example/more' }],
    ['an audience that is an object', { aud: { includes: 'https://api.example' } }],
    ['no exp', { exp: undefined }],
    ['an exp in the past', { exp: inSeconds(-10) }],
    ['an exp that is text', { exp: String(inSeconds(600)) }],
    ['an exp that is null', { exp: null }],
    ['no iat', { iat: undefined }],
    ['an iat in the future', { iat: inSeconds(30) }],
    ['an nbf in the future', { nbf: inSeconds(30) }],
    ['an nbf that is text', { nbf: '0' }],
    ['no sub', { sub: undefined }],
    ['an empty sub', { sub: '' }],
    ['a sub that is a number', { sub: 1 }],
    ['no client_id', { client_id: undefined }],
    ['no jti', { jti: undefined }],
    ['a scope that is a list', { scope: ['tickets:read'] }],
    ['a role that is a list', { role: ['admin'] }],
    ['an acr that is a list', { acr: ['gold'] }],
    ['an amr that is not a list', { amr: 'pwd' }],
    ['an amr with a number', { amr: ['pwd', 1] }],
    ['an auth_time that is text', { auth_time: '1700000000' }],
    ['a cnf that is text', { cnf: 'x' }],
    ['a cnf that is null', { cnf: null }],
  ])('refuses %s', async (_, claims) => {
    const token = issuer.token(typeof claims === 'function' ? claims() : claims);
    expect(await server.present(token)).toMatchObject(invalidToken);
  });

  it('refuses an exp that overflows to infinity', async () => {
    const claims = goodClaims().replace(/"exp":\d+/, '"exp":1e999');
    expect(await server.present(issuerSigned(claims))).toMatchObject(invalidToken);
  });

  it('uses the last of two claims with the same name (RFC 7519 §4)', async () => {
    const other = '"aud":"https://other.example"';
    const lastIsOther = goodClaims().replace(/}$/, `,${other}}`);
    const lastIsOurs = goodClaims().replace(/^{/, `{${other},`);
    expect(await server.present(issuerSigned(lastIsOther))).toMatchObject(invalidToken);
    expect(await server.present(issuerSigned(lastIsOurs))).toMatchObject({ status: 200 });
  });

  it.each(['', 'null', '[]', '"text"', '{', '{}', '{"a":1}x', '\ufeff{}'])(
    'refuses the payload %j',
    async (payload) => {
      expect(await server.present(issuerSigned(payload))).toMatchObject(invalidToken);
    },
  );

  it('refuses a payload that is not UTF-8', async () => {
    const [header] = issuer.token().split('.');
    const payload = Buffer.from(goodClaims().replace('client-1', 'client-\xe4'), 'latin1').toString(
      'base64url',
    );
    const signature = Buffer.from(signEs256(`${header}.${payload}`, issuer.currentKey)).toString('base64url');
    expect(await server.present(`${header}.${payload}.${signature}`)).toMatchObject(invalidToken);
  });
});

function inSeconds(seconds: number): number {
  return now().getTime() / 1000 + seconds;
}

function goodClaims(): string {
  return Buffer.from(issuer.token().split('.')[1] ?? '', 'base64url').toString();
}

function issuerSigned(payload: string): string {
  const { currentKey } = issuer;
  return encodeToken({ typ: 'at+jwt', alg: 'ES256', kid: currentKey.kid }, payload, (input) =>
    signEs256(input, currentKey),
  );
}
