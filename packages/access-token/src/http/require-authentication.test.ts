import { createDpopKey, startTestIssuer, useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { createManualClock, startResourceServer } from '../resource-server.fixture.ts';
import { requireAuthentication } from './require-authentication.ts';

const { now } = createManualClock();
const issuer = useStarted(() => startTestIssuer({ now }));
const server = useStarted(() => startResourceServer(issuer, { now, proofs: {} }));

const secondsAgo = (seconds: number) => now().getTime() / 1000 - seconds;
/** Sends a request with the token of a user. */
const present = (claims: Record<string, unknown>, path = '/guarded') =>
  server.present(issuer.token({ sub: 'user-1', client_id: 'app-1', ...claims }), path);

const refused = { status: 401, body: { code: 'insufficient_user_authentication' } };

describe('an operation that requires an authentication of the user (RFC 9470 §3)', () => {
  it.each([
    ['the first accepted class', { acr: 'gold', auth_time: secondsAgo(0) }],
    ['another accepted class', { acr: 'platinum', auth_time: secondsAgo(0) }],
    ['the greatest accepted age', { acr: 'gold', auth_time: secondsAgo(300) }],
    ['a time ahead of this clock', { acr: 'gold', auth_time: secondsAgo(-3) }],
  ])('accepts a token with %s', async (_, claims) => {
    expect(await present(claims)).toMatchObject({ status: 200 });
  });

  it.each([
    ['a class that is not accepted', { acr: 'silver', auth_time: secondsAgo(0) }],
    ['no class', { auth_time: secondsAgo(0) }],
    ['an empty class', { acr: '', auth_time: secondsAgo(0) }],
    ['several classes in one claim', { acr: 'gold platinum', auth_time: secondsAgo(0) }],
    ['an authentication too long ago', { acr: 'gold', auth_time: secondsAgo(301) }],
    ['no time of the authentication', { acr: 'gold' }],
    ['methods alone', { amr: ['pwd', 'otp', 'mfa'], auth_time: secondsAgo(0) }],
  ])('refuses a token with %s', async (_, claims) => {
    expect(await present(claims)).toMatchObject(refused);
  });

  it('says in the challenge what to request, with the metadata of the resource (§3, RFC 9728 §5.1)', async () => {
    const { challenge } = await present({ acr: 'silver', auth_time: secondsAgo(0) });
    const [bearer, dpop] = (challenge ?? '').split(', DPoP ');
    expect(bearer).toBe(
      'Bearer realm="api", error="insufficient_user_authentication", ' +
        'error_description="This request needs a stronger authentication of the user.", ' +
        'acr_values="gold platinum", max_age="300", ' +
        'resource_metadata="https://api.example/.well-known/oauth-protected-resource"',
    );
    expect(dpop).not.toContain('error');
  });

  it('names the missing requirement: class or age', async () => {
    const [old, weak] = [
      await present({ acr: 'gold', auth_time: secondsAgo(900) }),
      await present({ auth_time: 0 }),
    ];
    expect(old.body.detail).toBe('This request needs a more recent authentication of the user.');
    expect(weak.body.detail).toBe('This request needs a stronger authentication of the user.');
  });

  it('asks for the class alone, or the age alone, where only that is required', async () => {
    const strong = await present({}, '/strong');
    const recent = await present({}, '/recent');
    expect([strong.status, recent.status]).toEqual([401, 401]);
    expect(strong.challenge).toContain('acr_values="gold platinum"');
    expect(strong.challenge).not.toContain('max_age');
    expect(recent.challenge).toContain('max_age="300"');
    expect(recent.challenge).not.toContain('acr_values');
    expect(await present({ acr: 'gold' }, '/strong')).toMatchObject({ status: 200 });
    expect(await present({ auth_time: secondsAgo(9) }, '/recent')).toMatchObject({ status: 200 });
  });

  it('puts the error into the challenge of the scheme that was used (RFC 9449 §7.2)', async () => {
    const key = createDpopKey({ now });
    const token = issuer.token({ sub: 'user-1', client_id: 'app-1', cnf: { jkt: key.thumbprint } });
    const proof = key.proof({ method: 'GET', url: `${issuer.audience}/guarded`, token });
    const answer = await server.get({ Authorization: `DPoP ${token}`, DPoP: proof }, '/guarded');
    expect(answer).toMatchObject(refused);
    expect(answer.challenge).toMatch(/DPoP .*error="insufficient_user_authentication".*max_age="300"/);
    expect(answer.challenge).toMatch(/^Bearer realm="api", resource_metadata="[^"]+", DPoP/);
  });

  it('accepts a client that acts for itself: there is no user to authenticate (RFC 9068 §2.2)', async () => {
    const machine = issuer.token({ sub: 'client-1', client_id: 'client-1' });
    expect(await server.present(machine, '/guarded')).toMatchObject({ status: 200 });
  });

  it('fails for a request that was not authenticated', async () => {
    const check = requireAuthentication({ acrValues: [], now: () => new Date(0) });
    const ctx = { state: {} } as Parameters<typeof check>[0];
    expect(() => check(ctx, async () => undefined)).toThrow('needs authenticate()');
  });
});

describe('the classes of a requirement (RFC 6750 §3)', () => {
  it.each(['', 'two words', 'a"b', 'a\\b', 'café', 'line\nbreak'])('cannot be %j', (acr) => {
    expect(() => requireAuthentication({ acrValues: [acr], now: () => new Date(0) })).toThrow(TypeError);
  });
});
