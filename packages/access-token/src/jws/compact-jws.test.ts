import { encodeToken, signEs256, startTestIssuer, useStarted } from '@keydesk/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startResourceServer } from '../resource-server.fixture.ts';

const invalidToken = { status: 401, challenge: expect.stringContaining('error="invalid_token"') };

const issuer = useStarted(startTestIssuer);
const server = useStarted(() => startResourceServer(issuer));

describe('the form of a token (RFC 7515 §2, RFC 4648 §3.5)', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  it('refuses every non-canonical encoding of a valid signature', async () => {
    const token = issuer.token();
    expect(await server.present(token)).toMatchObject({ status: 200 });
    const last = alphabet.indexOf(token.at(-1) ?? '');
    const siblings = [...alphabet].filter((_, i) => i >> 4 === last >> 4 && i !== last);
    expect(siblings).toHaveLength(15);
    for (const sibling of siblings)
      expect(await server.present(`${token.slice(0, -1)}${sibling}`)).toMatchObject(invalidToken);
    for (const tail of ['=', '==', '.', '.e30', 'A', '%3D'])
      expect(await server.present(`${token}${tail}`)).toMatchObject(invalidToken);
  });

  it('refuses the alphabet of plain base64', async () => {
    let token = issuer.token();
    while (!/[-_][^.]*$/.test(token)) token = issuer.token();
    const plain = token.replace(/[^.]*$/, (signature) => signature.replaceAll('-', '+').replaceAll('_', '/'));
    expect(await server.present(plain)).toMatchObject(invalidToken);
  });

  it.each([
    ['padding in the header', (header: string, payload: string) => `${header}=.${payload}`],
    ['padding in the payload', (header: string, payload: string) => `${header}.${payload}=`],
    ['a space in the payload', (header: string, payload: string) => `${header}.${payload} `],
    ['a space in the header', (header: string, payload: string) => `${header} .${payload}`],
  ])('refuses %s even with a matching signature', async (_, spoil) => {
    const [header = '', payload = ''] = issuer.token().split('.');
    const signingInput = spoil(header, payload);
    const signature = Buffer.from(signEs256(signingInput, issuer.currentKey)).toString('base64url');
    expect(await server.present(`${signingInput}.${signature}`)).toMatchObject(invalidToken);
  });

  it('accepts 8192 bytes and refuses more, even with a valid signature', async () => {
    const tokenOf = (padding: number) => issuer.token({ padding: 'x'.repeat(padding) });
    let padding = 5_500;
    while (tokenOf(padding + 1).length <= 8192) padding += 1;
    expect(await server.present(tokenOf(padding))).toMatchObject({ status: 200 });
    expect(await server.present(tokenOf(padding + 3))).toMatchObject(invalidToken);
  });

  it('refuses nesting as deep as fits into a header field', async () => {
    const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const noSignature = () => new Uint8Array(64);
    const header = { typ: 'at+jwt', alg: 'ES256', kid: issuer.currentKey.kid };
    const tokens = [
      encodeToken(deep(2_900), '{}', noSignature),
      encodeToken(header, deep(2_900), noSignature),
      encodeToken('['.repeat(10_000), '', noSignature),
      `${'.'.repeat(8_000)}`,
    ];
    for (const token of tokens) expect(await server.present(token)).toMatchObject(invalidToken);
  });

  it('responds 401 to any changed byte', async () => {
    const token = issuer.token();
    const visible = fc.integer({ min: 0x21, max: 0xff }).filter((byte) => byte !== 0x7f);
    const change = fc.record({
      at: fc.nat({ max: token.length - 1 }),
      removed: fc.nat({ max: 2 }),
      inserted: fc.array(visible, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, removed, inserted }) => {
        const changed = `${token.slice(0, at)}${String.fromCharCode(...inserted)}${token.slice(at + removed)}`;
        fc.pre(changed !== token);
        expect(await server.present(changed)).toMatchObject(invalidToken);
      }),
      { numRuns: 500 },
    );
    expect(await server.present(token)).toMatchObject({ status: 200 });
  });
});
