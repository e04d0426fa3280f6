import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { createDpopKey, encodeToken, useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { accepted, invalidProof, invalidToken, startDpopWorld } from './dpop-world.fixture.ts';

const world = useStarted(startDpopWorld);

const noSignature = () => new Uint8Array(64);

describe('the DPoP header of a request (RFC 9449 §4.3 no. 1)', () => {
  it('is required', async () => {
    const headers = { Authorization: `DPoP ${world.token}` };
    expect(await world.server.get(headers)).toMatchObject(invalidProof);
  });

  it('must not be sent twice, valid or not', async () => {
    expect(await world.present([world.proof(), world.proof()])).toMatchObject(invalidProof);
    expect(await world.present([world.proof(), 'x'])).toMatchObject(invalidProof);
    expect(await world.present(['', world.proof()])).toMatchObject(invalidProof);
    expect(await world.present(`${world.proof()}, ${world.proof()}`)).toMatchObject(invalidProof);
  });
});

describe('the form of a proof (RFC 9449 §4.3 no. 2)', () => {
  it('is a signed JWT', async () => {
    const [header, payload, signature] = world.proof().split('.');
    const forms = [
      '',
      'x',
      '..',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature}.`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.${signature}.x.x`,
      `${header} .${payload}.${signature}`,
      `"${header}.${payload}.${signature}"`,
      encodeToken('[]', '{}', noSignature),
      encodeToken('{}', 'null', noSignature),
      encodeToken(`{"a":${'['.repeat(2_900)}${']'.repeat(2_900)}}`, '{}', noSignature),
    ];
    for (const form of forms) expect(await world.present(form)).toMatchObject(invalidProof);
  });

  it('has at most 8192 bytes', async () => {
    const claims = { padding: 'x'.repeat(6_000) };
    expect(await world.prove({ claims: { padding: 'x'.repeat(5_000) } })).toMatchObject(accepted);
    expect(await world.prove({ claims })).toMatchObject(invalidProof);
  });
});

describe('the type of a proof (RFC 9449 §4.3 no. 4, §11.5)', () => {
  it.each([undefined, '', 'JWT', 'at+jwt', 'DPOP+JWT', ['dpop+jwt'], null])('cannot be %j', async (typ) => {
    expect(await world.prove({ header: { typ } })).toMatchObject(invalidProof);
  });

  it('prevents the use of an access token as its own proof', async () => {
    expect(await world.present(world.token)).toMatchObject(invalidProof);
  });
});

describe('the algorithm of a proof (RFC 9449 §4.3 no. 5, §11.6)', () => {
  it.each(['ES256', 'Ed25519', 'EdDSA'] as const)('can be %s', async (alg) => {
    const holder = createDpopKey({ alg, now: world.now });
    expect(await world.prove({}, { holder, token: world.tokenFor(holder) })).toMatchObject(accepted);
  });

  it.each(['RS256', 'ES384'] as const)('cannot be %s by default', async (alg) => {
    const holder = createDpopKey({ alg, now: world.now });
    expect(await world.prove({}, { holder, token: world.tokenFor(holder) })).toMatchObject(invalidProof);
  });

  it('must be one that the resource server configures', async () => {
    const other = await startDpopWorld({ algorithms: ['RS256'] });
    const holder = createDpopKey({ alg: 'RS256', now: other.now });
    expect(await other.prove({}, { holder, token: other.tokenFor(holder) })).toMatchObject(accepted);
    expect(await other.prove()).toMatchObject(invalidProof);
    await other.stop();
  });

  it.each([undefined, '', 'none', 'None', 'es256', 'HS256', ['ES256'], null, 'constructor', 'Ed448'])(
    'cannot be %j',
    async (alg) => {
      expect(await world.prove({ header: { alg } })).toMatchObject(invalidProof);
      expect(await world.prove({ header: { alg }, sign: () => new Uint8Array() })).toMatchObject(
        invalidProof,
      );
    },
  );

  it('cannot be HS256, neither with a symmetric key nor with the public key as secret', async () => {
    const secrets = [
      { jwk: { kty: 'oct', k: 'c2VjcmV0' }, secret: 'secret' },
      { jwk: world.key.jwk, secret: JSON.stringify(world.key.jwk) },
    ];
    for (const { jwk, secret } of secrets) {
      const hs256 = (input: string) => createHmac('sha256', secret).update(input).digest();
      for (const alg of ['HS256', 'ES256'])
        expect(await world.prove({ header: { alg, jwk }, sign: hs256 })).toMatchObject(invalidProof);
    }
  });

  it('must match the type of the key', async () => {
    expect(await world.prove({ header: { alg: 'Ed25519' } })).toMatchObject(invalidProof);
    expect(await world.prove({ header: { alg: 'EdDSA' } })).toMatchObject(invalidProof);
    const header = { jwk: { ...world.key.jwk, alg: 'ES384' } };
    expect(await world.prove({ header })).toMatchObject(invalidProof);
  });
});

describe('the signature of a proof (RFC 9449 §4.3 no. 6)', () => {
  it('is made with the key in the proof', async () => {
    const other = createDpopKey();
    expect(await world.prove({ sign: other.sign })).toMatchObject(invalidProof);
    expect(await world.prove({ sign: () => Buffer.alloc(64) })).toMatchObject(invalidProof);
    expect(await world.prove({ sign: () => Buffer.alloc(0) })).toMatchObject(invalidProof);
  });

  it('has the JWS format, not DER', async () => {
    const key = createPrivateKey({ key: { ...world.key.privateJwk }, format: 'jwk' });
    const der = (input: string) => sign('sha256', Buffer.from(input), key);
    expect(await world.prove({ sign: der })).toMatchObject(invalidProof);
  });

  it('covers header and claims', async () => {
    const [header, payload, signature] = world.proof().split('.');
    const [otherHeader, otherPayload] = world.proof({ header: { a: 1 } }).split('.');
    expect(await world.present(`${otherHeader}.${payload}.${signature}`)).toMatchObject(invalidProof);
    expect(await world.present(`${header}.${otherPayload}.${signature}`)).toMatchObject(invalidProof);
    expect(await world.present(`${header}.${payload}.${signature}`)).toMatchObject(accepted);
  });
});

describe('the key in a proof (RFC 9449 §4.3 no. 7, §4.2)', () => {
  it('must not be private, even when it is the right one', async () => {
    expect(await world.prove({ header: { jwk: world.key.privateJwk } })).toMatchObject(invalidProof);
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])
      expect(await world.prove({ header: { jwk: { ...world.key.jwk, [member]: 'x' } } })).toMatchObject(
        invalidProof,
      );
  });

  it.each([undefined, null, 'x', 1, [], {}, { kty: 'EC' }])('cannot be %j', async (jwk) => {
    expect(await world.prove({ header: { jwk } })).toMatchObject(invalidProof);
  });

  it.each([
    ['another curve', { crv: 'P-384' }],
    ['another type', { kty: 'OKP' }],
    ['another use', { use: 'enc' }],
    ['other operations', { key_ops: ['sign'] }],
  ])('cannot have %s', async (_, change) => {
    expect(await world.prove({ header: { jwk: { ...world.key.jwk, ...change } } })).toMatchObject(
      invalidProof,
    );
  });

  it.each([
    ['coordinates off its curve', { x: Buffer.alloc(32, 1).toString('base64url') }],
    ['a missing coordinate', { y: undefined }],
    ['coordinates that are not strings', { x: 1, y: {} }],
  ])('cannot have %s, even when the token is bound to it', async (_, change) => {
    const jwk = { crv: 'P-256', kty: 'EC', x: world.key.jwk.x, y: world.key.jwk.y, ...change };
    const token = world.issuer.token({ cnf: { jkt: await thumbprintOf(jwk) } });
    expect(await world.prove({ header: { jwk } }, { token })).toMatchObject(invalidProof);
  });

  it('is refused as malformed when a coordinate is missing or not a string, whichever key the token is bound to', async () => {
    for (const change of [{ y: undefined }, { x: 1 }, { x: [world.key.jwk.x] }, { y: '' }])
      expect(await world.prove({ header: { jwk: { ...world.key.jwk, ...change } } })).toMatchObject(
        invalidProof,
      );
  });

  it('may have further members', async () => {
    const jwk = { ...world.key.jwk, kid: 'mine', use: 'sig', key_ops: ['verify'], alg: 'ES256', x5t: 'x' };
    expect(await world.prove({ header: { jwk, kid: 'mine' } })).toMatchObject(accepted);
  });

  it.each([
    { jku: 'https://attacker.example' },
    { x5u: 'https://attacker.example' },
    { x5c: [] },
    { crit: ['exp'] },
    { crit: [] },
    { b64: true },
  ])('cannot be overridden by the header parameter %j', async (header) => {
    expect(await world.prove({ header })).toMatchObject(invalidProof);
  });
});

describe('the key of a bound token (RFC 9449 §4.3 no. 12 b, §6.2)', () => {
  it('must sign the proof', async () => {
    const thief = createDpopKey({ now: world.now });
    expect(await world.prove({}, { holder: thief })).toMatchObject(invalidToken);
    expect(await world.prove({}, { holder: thief, token: world.tokenFor(thief) })).toMatchObject(accepted);
    expect(await world.prove({}, { token: world.tokenFor(thief) })).toMatchObject(invalidToken);
  });

  it('must be encoded canonically', async () => {
    const jwk = { ...world.key.jwk, x: `${world.key.jwk.x}=` };
    expect(await world.prove({ header: { jwk } })).toMatchObject(invalidToken);
  });
});

async function thumbprintOf(jwk: object): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(JSON.stringify(jwk)));
  return Buffer.from(digest).toString('base64url');
}
