import {
  createSigningKey,
  signEs256,
  startTestIssuer,
  type TestIssuer,
  type TokenOverrides,
  useStarted,
} from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { createJwks } from '../keys/jwks.ts';
import { createSecurityEventVerifier } from './security-event-verifier.ts';

const AUDIENCE = 'receiver-1';
const PURGED = 'https://schemas.openid.net/secevent/risc/event-type/account-purged';

/** Creates a token that is valid except for the given claims and overrides. */
function signEvent(issuer: TestIssuer, claims: Record<string, unknown> = {}, overrides: TokenOverrides = {}) {
  const good = {
    aud: AUDIENCE,
    sub: undefined,
    client_id: undefined,
    scope: undefined,
    exp: undefined,
    jti: 'event-1',
    sub_id: { format: 'iss_sub', iss: issuer.issuer, sub: 'ada' },
    events: { [PURGED]: {} },
  };
  const header = { typ: 'secevent+jwt', ...overrides.header };
  return issuer.token({ ...good, ...claims }, { ...overrides, header });
}

describe('a verifier of security event tokens (RFC 8417, RFC 8936 §3)', () => {
  const issuer = useStarted(() => startTestIssuer());
  const verify = (token: string) =>
    createSecurityEventVerifier({
      issuer: issuer.issuer,
      audience: AUDIENCE,
      jwks: createJwks({ url: issuer.jwksUrl }),
    }).verify(token);

  it('returns id, subject and events of a valid token (§2.2, RFC 9493 §3.2.4)', async () => {
    const expected = {
      jti: 'event-1',
      subject: { issuer: issuer.issuer, subject: 'ada' },
      events: { [PURGED]: {} },
    };
    expect(await verify(signEvent(issuer))).toEqual(expected);
    expect(await verify(signEvent(issuer, { aud: ['other', AUDIENCE] }))).toEqual(expected);
    const typed = { header: { typ: 'application/SecEvent+JWT' } };
    expect(await verify(signEvent(issuer, {}, typed))).toEqual(expected);
  });

  it('returns no subject of another format', async () => {
    const { subject } = await verify(
      signEvent(issuer, { sub_id: { format: 'email', email: 'a@b.example' } }),
    );
    expect(subject).toBeUndefined();
  });

  it.each<[string, Record<string, unknown>, TokenOverrides, string]>([
    ['an access token (§4.5)', {}, { header: { typ: 'at+jwt' } }, 'invalid_request'],
    ['an ID token, which has no typ (§4.5)', {}, { header: { typ: undefined } }, 'invalid_request'],
    ['alg none (RFC 8725 §3.1)', {}, { header: { alg: 'none' } }, 'invalid_key'],
    ['another algorithm', {}, { header: { alg: 'HS256' } }, 'invalid_key'],
    ['no kid', {}, { header: { kid: undefined } }, 'invalid_key'],
    ['an embedded key', {}, { header: { jwk: {} } }, 'invalid_request'],
    ['a key of another server', {}, { header: { jku: 'https://evil.example' } }, 'invalid_request'],
    ['an unknown key', {}, { key: createSigningKey() }, 'invalid_key'],
    ['another issuer (§2.1)', { iss: 'https://evil.example' }, {}, 'invalid_issuer'],
    ['another receiver (§2.1)', { aud: 'receiver-2' }, {}, 'invalid_audience'],
    ['no receiver', { aud: undefined }, {}, 'invalid_audience'],
    ['no jti (§2.1)', { jti: undefined }, {}, 'invalid_request'],
    ['no iat (§2.1)', { iat: undefined }, {}, 'invalid_request'],
    ['no events (§2.2)', { events: undefined }, {}, 'invalid_request'],
    ['empty events (§2.2)', { events: {} }, {}, 'invalid_request'],
    ['events that are no objects (§2.2)', { events: { [PURGED]: true } }, {}, 'invalid_request'],
  ])('rejects a token with %s', async (_what, claims, overrides, code) => {
    await expect(verify(signEvent(issuer, claims, overrides))).rejects.toMatchObject({ code });
  });

  it('rejects a token with the signature of another key, and text', async () => {
    const other = createSigningKey();
    const forged = signEvent(issuer, {}, { sign: (input) => signEs256(input, other) });
    await expect(verify(forged)).rejects.toMatchObject({ code: 'invalid_key' });
    await expect(verify('text')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('does not reject a token while the keys are unavailable', async () => {
    issuer.answerJwks('fail');
    await expect(verify(signEvent(issuer))).rejects.toThrow('temporarily unavailable');
    issuer.answerJwks('serve');
  });
});
