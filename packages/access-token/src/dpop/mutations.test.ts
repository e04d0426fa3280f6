import { encodeToken, useStarted } from '@keydesk/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accepted, startDpopWorld } from './dpop-world.fixture.ts';

const world = useStarted(startDpopWorld);

const refused = {
  status: 401,
  challenge: expect.stringMatching(/DPoP .*error="invalid_(dpop_proof|token)"/),
};

describe('a proof that was tampered with (RFC 9449 §4.3)', () => {
  it('is answered with 401 after any change of a byte', async () => {
    const proof = world.proof();
    const visible = fc.integer({ min: 0x21, max: 0xff }).filter((byte) => byte !== 0x7f);
    const change = fc.record({
      at: fc.nat({ max: proof.length - 1 }),
      removed: fc.nat({ max: 2 }),
      inserted: fc.array(visible, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, removed, inserted }) => {
        const changed = `${proof.slice(0, at)}${String.fromCharCode(...inserted)}${proof.slice(at + removed)}`;
        fc.pre(changed !== proof);
        expect(await world.present(changed)).toMatchObject(refused);
      }),
      { numRuns: 500 },
    );
    expect(await world.present(proof)).toMatchObject(accepted);
  });

  it('is answered with 401 for any other value of a member, even with a matching signature', async () => {
    const members = fc.constantFrom('typ', 'alg', 'jwk', 'htm', 'htu', 'iat', 'ath', 'jti');
    await fc.assert(
      fc.asyncProperty(members, fc.json({ maxDepth: 3 }), async (name, json) => {
        const value = JSON.parse(json);
        fc.pre(name !== 'jti' || typeof value !== 'string' || value === '');
        const isOfHeader = ['typ', 'alg', 'jwk'].includes(name);
        const spoilt = { [name]: value };
        const overrides = isOfHeader ? { header: spoilt } : { claims: spoilt };
        expect(await world.prove(overrides)).toMatchObject(refused);
      }),
      { numRuns: 500 },
    );
  });

  it('is answered with 401 for any other key members', async () => {
    const part = fc.oneof(
      fc.json({ maxDepth: 1 }),
      fc.base64String().map((text) => JSON.stringify(text)),
    );
    const names = fc.constantFrom('kty', 'crv', 'x', 'y', 'alg', 'use', 'key_ops', 'd');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, part, { minKeys: 1 }), async (parts) => {
        const changes = Object.entries(parts).map(([name, json]) => [name, JSON.parse(json)]);
        const jwk = { ...world.key.jwk, ...Object.fromEntries(changes) };
        fc.pre(['kty', 'crv', 'x', 'y'].some((name) => Object.hasOwn(parts, name)) || 'd' in parts);
        expect(await world.prove({ header: { jwk } })).toMatchObject(refused);
      }),
      { numRuns: 300 },
    );
  });

  it('is answered with 401 for any other JSON as header and claims', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), async (header, claims) => {
        fc.pre(header.length + claims.length < 4_000);
        expect(await world.present(encodeToken(header, claims, world.key.sign))).toMatchObject(refused);
      }),
      { numRuns: 300 },
    );
  });
});
