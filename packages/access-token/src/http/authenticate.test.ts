import { startTestIssuer, useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startResourceServer } from '../resource-server.fixture.ts';
import { authenticate } from './authenticate.ts';
import { requireScope } from './require-scope.ts';

const metadata = 'resource_metadata="https://api.example/.well-known/oauth-protected-resource"';

const issuer = useStarted(startTestIssuer);
const server = useStarted(() => startResourceServer(issuer));

describe('a request without an access token (RFC 6750 §3, §3.1)', () => {
  it.each([
    ['no Authorization header', {}],
    ['another scheme', { Authorization: 'Basic dTpw' }],
    ['a scheme that only starts with "Bearer"', { Authorization: 'BearerX x' }],
    ['an empty Authorization header', { Authorization: '' }],
    ['a token without a scheme', { Authorization: 'ey.ey.x' }],
  ])('with %s is refused with a challenge that has no error code', async (_, headers) => {
    expect(await server.get(headers)).toMatchObject({
      status: 401,
      challenge: `Bearer realm="api", ${metadata}`,
      body: { code: 'invalid_token', detail: expect.stringContaining('Authorization: Bearer') },
    });
  });

  it('with its token in a cookie is refused', async () => {
    const token = issuer.token();
    expect(await server.get({ Cookie: `access_token=${token}` })).toMatchObject({ status: 401 });
  });
});

describe('a request with an invalid token (RFC 6750 §3.1)', () => {
  it.each([
    ['nothing', '', 'The access token is malformed.'],
    ['one word', 'x', 'The access token is malformed.'],
    ['two words', 'x y', 'The access token is malformed.'],
    ['quotes and backslashes', '"\\"', 'The access token is malformed.'],
  ])('consisting of %s is refused with the reason', async (_, token, reason) => {
    expect(await server.present(token)).toMatchObject({
      status: 401,
      challenge: `Bearer realm="api", error="invalid_token", error_description="${reason}", ${metadata}`,
      body: { code: 'invalid_token', detail: reason },
    });
  });

  it('receives the reason when the token has expired', async () => {
    expect(await server.present(issuer.token())).toMatchObject({ status: 200 });
    expect(await server.present(issuer.token({ exp: 1 }))).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('error_description="The access token has expired."'),
    });
  });
});

describe('presenting a token (RFC 6750 §2, §3.1)', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])(
    'accepts the scheme %s, because schemes are case-insensitive',
    async (scheme) => {
      const headers = { Authorization: `${scheme} ${issuer.token()}` };
      expect(await server.get(headers)).toMatchObject({ status: 200 });
    },
  );

  const everyCharacterEncoded = [...'access_token']
    .map((each) => `%${each.charCodeAt(0).toString(16)}`)
    .join('');
  it.each([
    '/?access_token=',
    '/?access%5Ftoken=',
    '/?access%5ftoken=',
    `/?${everyCharacterEncoded}=`,
    '/?a=b&access_token=',
    '/?a=%ZZ&%61ccess_token=',
    '/?&&access_token=',
  ])('refuses %s with 400, with or without a valid token or Authorization header', async (path) => {
    const token = issuer.token();
    const refusal = { status: 400, challenge: expect.stringContaining('error="invalid_request"') };
    expect(await server.get({}, `${path}${token}`)).toMatchObject(refusal);
    expect(await server.get({}, path)).toMatchObject(refusal);
    expect(await server.present(token, `${path}${token}`)).toMatchObject(refusal);
  });

  it('refuses the parameter without a value', async () => {
    expect(await server.present(issuer.token(), '/?access_token')).toMatchObject({ status: 400 });
    expect(await server.present(issuer.token(), '/?access_token&a=b')).toMatchObject({ status: 400 });
  });

  it.each([
    'access_tokens=a',
    'xaccess_token=a',
    'ACCESS_TOKEN=a',
    'a=access_token',
    'access%255Ftoken=a',
    'a=b?access_token=c',
  ])('ignores other parameters: %s', async (query) => {
    expect(await server.present(issuer.token(), `/?${query}`)).toMatchObject({ status: 200 });
  });

  it('refuses two Authorization headers with 400, even when both are valid', async () => {
    const good = `Bearer ${issuer.token()}`;
    for (const second of [good, 'Bearer x', 'Basic dTpw'])
      expect(await server.get({ Authorization: [good, second] })).toMatchObject({
        status: 400,
        challenge: expect.stringContaining('error="invalid_request"'),
        body: { code: 'invalid_request' },
      });
  });
});

describe('a token that is bound to a key (RFC 9449 §7.2, RFC 8705 §3)', () => {
  it.each([
    ['by DPoP', { jkt: 'x' }],
    ['by mutual TLS', { 'x5t#S256': 'x' }],
    ['by an unknown method', {}],
  ])('%s is refused as a bearer token', async (_, cnf) => {
    const token = issuer.token({ cnf });
    const refusal = { status: 401, challenge: expect.stringContaining('error="invalid_token"') };
    expect(await server.present(token)).toMatchObject(refusal);
    expect(await server.present(token)).toMatchObject(refusal);
  });
});

describe('requireScope (RFC 6750 §3.1)', () => {
  it('lets a token with the scope pass', async () => {
    const token = issuer.token({ scope: 'tickets:read tickets:write' });
    expect(await server.present(token, '/write')).toMatchObject({ status: 200 });
  });

  it.each([undefined, '', 'tickets:read', 'tickets:write2', 'TICKETS:WRITE', 'tickets:write,x'])(
    'refuses the scope %j with 403 and names the one that is needed',
    async (scope) => {
      const reason = 'The access token needs the scope tickets:write.';
      expect(await server.present(issuer.token({ scope }), '/write')).toMatchObject({
        status: 403,
        challenge: `Bearer realm="api", error="insufficient_scope", error_description="${reason}", scope="tickets:write", ${metadata}`,
        body: { code: 'insufficient_scope' },
      });
    },
  );

  it('fails with 500 on a route without authentication', async () => {
    expect(await server.present(issuer.token(), '/forgotten')).toMatchObject({ status: 500 });
  });

  it.each(['', 'a b', 'a"b', 'ä'])('does not start with the invalid scope %j', (scope) => {
    expect(() => requireScope(scope)).toThrow(TypeError);
  });

  it('does not start with a realm that a quoted string cannot contain', () => {
    const verifier = { verify: () => Promise.reject(new Error('unused')) };
    const resourceMetadataUrl = 'https://api.example/';
    expect(() => authenticate({ verifier, resourceMetadataUrl, realm: 'a"b' })).toThrow(TypeError);
  });
});
