import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startResourceServer } from '../resource-server.fixture.ts';
import { accepted, invalidToken, startDpopWorld } from './dpop-world.fixture.ts';

const metadata = 'resource_metadata="https://api.example/.well-known/oauth-protected-resource"';
const algs = 'algs="ES256 Ed25519 EdDSA"';
const bareBearer = `Bearer realm="api", ${metadata}`;
const bareDpop = `DPoP realm="api", ${algs}, ${metadata}`;

const world = useStarted(startDpopWorld);

describe('a bound token (RFC 9449 §7.1)', () => {
  it.each(['DPoP', 'dpop', 'DPOP'])(
    'is accepted under the scheme %s with a proof, because schemes are case-insensitive',
    async (scheme) => {
      const headers = { Authorization: `${scheme} ${world.token}` };
      const answer = await world.prove({}, { headers });
      expect(answer).toMatchObject({ ...accepted, body: { subject: 'client-1' } });
    },
  );

  it('is accepted repeatedly with new proofs', async () => {
    for (let i = 0; i < 5; i++) expect(await world.prove()).toMatchObject(accepted);
  });

  it('is refused as a bearer token, with or without a proof (§7.2)', async () => {
    const bearer = { Authorization: `Bearer ${world.token}` };
    const refusal = {
      ...invalidToken,
      challenge: expect.stringMatching(/^Bearer .*error="invalid_token".*DPoP/),
    };
    expect(await world.server.get(bearer)).toMatchObject(refusal);
    expect(await world.prove({}, { headers: bearer })).toMatchObject(refusal);
  });

  it('is refused after its expiry, even with a new proof', async () => {
    const other = await startDpopWorld();
    other.advanceSeconds(604);
    expect(await other.prove()).toMatchObject(accepted);
    other.advanceSeconds(1);
    expect(await other.prove()).toMatchObject(invalidToken);
    await other.stop();
  });
});

describe('a token under the scheme DPoP (RFC 9449 §6, §7.1; RFC 8705 §3)', () => {
  it.each([
    ['is not bound', () => undefined],
    ['is bound by mutual TLS', () => ({ 'x5t#S256': 'x' })],
    ['is also bound by mutual TLS', () => ({ jkt: world.key.thumbprint, 'x5t#S256': 'x' })],
    ['is also bound by an unknown method', () => ({ jkt: world.key.thumbprint, kid: 'x' })],
    ['is bound to a thumbprint that is not a string', () => ({ jkt: [world.key.thumbprint] })],
    ['is bound to an empty thumbprint', () => ({ jkt: '' })],
    ['has an empty confirmation', () => ({})],
  ])('is refused when it %s', async (_, cnf) => {
    const token = world.issuer.token({ cnf: cnf() });
    expect(await world.prove({}, { token })).toMatchObject(invalidToken);
  });

  it.each(['', 'x', 'x y'])('is refused as %j', async (token) => {
    expect(await world.prove({}, { token })).toMatchObject(invalidToken);
  });
});

describe('an unbound token', () => {
  it('is accepted as a bearer token; a proof sent with it is ignored', async () => {
    const headers = { Authorization: `Bearer ${world.issuer.token()}` };
    expect(await world.server.get(headers)).toMatchObject(accepted);
    expect(await world.prove({}, { headers })).toMatchObject(accepted);
  });
});

describe('the challenges (RFC 9449 §7.1, §7.2)', () => {
  it.each([
    ['no token', {}],
    ['another scheme', { Authorization: 'Basic dTpw' }],
    ['a proof and no token', { DPoP: 'x' }],
  ])('of a request with %s offer both schemes without an error', async (_, headers) => {
    expect(await world.server.get(headers)).toMatchObject({
      status: 401,
      challenge: `${bareBearer}, ${bareDpop}`,
    });
  });

  it('report an error of a bearer token in the Bearer challenge', async () => {
    const reason = 'error="invalid_token", error_description="The access token is malformed."';
    expect(await world.server.present('x')).toMatchObject({
      status: 401,
      challenge: `Bearer realm="api", ${reason}, ${metadata}, ${bareDpop}`,
    });
  });

  it('report an error of a proof in the DPoP challenge', async () => {
    const reason = 'error="invalid_dpop_proof", error_description="The DPoP proof is malformed."';
    expect(await world.present('x')).toMatchObject({
      status: 401,
      challenge: `${bareBearer}, DPoP realm="api", ${algs}, ${reason}, ${metadata}`,
      body: { code: 'invalid_dpop_proof', detail: 'The DPoP proof is malformed.' },
    });
  });

  it('report a missing scope in the challenge of the used scheme', async () => {
    expect(await world.prove({}, { path: '/write' })).toMatchObject({
      status: 403,
      challenge: expect.stringMatching(
        /^Bearer realm="api", resource_metadata="[^"]+", DPoP .*error="insufficient_scope".*scope="tickets:write"/,
      ),
    });
  });

  it('report two Authorization headers in both schemes', async () => {
    const Authorization = [`Bearer ${world.token}`, `DPoP ${world.token}`];
    const reason = 'error="invalid_request", error_description="[^"]+"';
    expect(await world.prove({}, { headers: { Authorization } })).toMatchObject({
      status: 400,
      challenge: expect.stringMatching(new RegExp(`^Bearer .*${reason}.*, DPoP .*${reason}`)),
    });
  });
});

describe('a resource server that accepts only bearer tokens', () => {
  it('neither accepts nor offers the scheme DPoP', async () => {
    const server = await startResourceServer(world.issuer);
    for (const token of [issuedNow({}), issuedNow({ cnf: { jkt: world.key.thumbprint } })]) {
      const proof = world.key.proof({ url: 'https://api.example/', token });
      const answer = await server.get({ Authorization: `DPoP ${token}`, DPoP: proof });
      expect(answer).toMatchObject({ status: 401, challenge: bareBearer });
    }
    await server.stop();
  });

  function issuedNow(claims: object): string {
    const iat = Math.floor(Date.now() / 1000);
    return world.issuer.token({ ...claims, iat, exp: iat + 60 });
  }
});
