import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { AppError } from '@keydesk/server';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { assembleClients } from '../composition/clients.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import type { ClientRequest } from './client-rules.ts';
import type { ClientWithSecret } from './clients.ts';

const derived = { clientSecrets: createSecretKey(randomBytes(32)) };
const machine: ClientRequest = { type: 'machine', name: 'Importer', scopes: ['tickets:read'] };
const jwkOf = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({ format: 'jwk' });
const rsaJwk = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const time = { now: Date.now() };
  const clients = () => assembleClients({ storage: storage.get(), derived, now: () => new Date(time.now) });

  async function rejectedFields(request: Partial<ClientRequest>): Promise<string[]> {
    try {
      await clients().add({ ...machine, ...request });
    } catch (err) {
      if (err instanceof AppError && err.code === 'validation_failed')
        return err.errors.map(({ field }) => field);
      throw err;
    }
    return [];
  }

  describe('a new client', () => {
    it('gets the safe defaults of a machine client, without a role', async () => {
      const { client, secret } = await clients().add({ ...machine, name: '  Importer ' });
      expect(client).toMatchObject({
        name: 'Importer',
        type: 'machine',
        grantTypes: ['client_credentials'],
        authMethod: 'client_secret_basic',
        role: null,
        owner: null,
        status: 'active',
        version: 1,
      });
      expect(secret).toMatch(/^kdcs_/);
      expect(JSON.stringify(client)).not.toContain(secret);
      expect(await clients().get(client.id)).toEqual(client);
    });

    it.each([
      ['an empty name', { name: ' ' }, ['name']],
      ['a name with control characters', { name: 'a\u001b[31m' }, ['name']],
      ['a name with a bidirectional override (UAX #9)', { name: 'Print\u202eknab' }, ['name']],
      ['an invisible name', { name: '\u200b\u2060' }, ['name']],
      ['a name that ends in a lone surrogate', { name: 'Print\ud83d' }, ['name']],
      ['a name of more than 100 characters', { name: 'a'.repeat(101) }, ['name']],
      ['unknown scopes', { scopes: ['tickets:read', 'root'] }, ['scope']],
      ['no authentication', { authMethod: 'none' as const }, ['auth_method']],
      ['optional PKCE for a machine', { security: { isPkceOptional: true } }, ['pkce']],
      [
        'optional PKCE under fapi2',
        {
          type: 'web' as const,
          redirectUris: ['https://app.example/callback'],
          jwks: { keys: [{ ...jwkOf('P-256'), kid: '1' }] },
          security: { isPkceOptional: true, profile: 'fapi2' as const },
        },
        ['pkce'],
      ],
      ['private_key_jwt without keys', { authMethod: 'private_key_jwt' as const }, ['jwks']],
      [
        'keys that its authentication method does not use',
        { authMethod: 'client_secret_post' as const, jwks: { keys: [] } },
        ['jwks'],
      ],
      [
        'a role for a web client, and no redirect URI',
        { type: 'web' as const, role: 'agent' as const },
        ['role', 'redirect_uri'],
      ],
      [
        'more than 20 redirect URIs',
        {
          type: 'web' as const,
          redirectUris: Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`),
        },
        ['redirect_uri'],
      ],
      [
        'a redirect URI of more than 2,000 characters',
        { type: 'web' as const, redirectUris: [`https://app.example/${'a'.repeat(1_981)}`] },
        ['redirect_uri'],
      ],
      ['a redirect URI for a machine', { redirectUris: ['https://a.example/'] }, ['redirect_uri']],
    ])('is rejected with %s', async (_, request, fields) => {
      expect(await rejectedFields(request)).toEqual(fields);
    });

    it.each([
      ['web', 'http://app.example/callback'],
      ['web', 'com.example.app:/callback'],
      ['web', 'https://app.example/callback#fragment'],
      ['web', 'https://app.example/callback#'],
      ['web', 'https://user:password@app.example/callback'],
      ['web', '/callback'],
      ['web', 'https://app.example\\@evil.example/callback'],
      ['web', 'https://app.example/<callback>'],
      ['web', 'https://app.example/%zz'],
      ['web', 'https://*.app.example/callback'],
      ['spa', 'javascript:alert(1)'],
      ['native', 'javascript:alert(1)'],
      ['native', 'data:text/html,hi'],
      ['native', 'myapp:/callback'],
      ['native', 'http://app.example/callback'],
      ['native', 'http://127.0.0.1.evil.example/callback'],
    ] as const)(
      'of type %s is rejected with the redirect URI %s (RFC 9700 §2.1, RFC 8252 §7, RFC 3986 §2)',
      async (type, uri) => {
        expect(await rejectedFields({ type, redirectUris: [uri] })).toEqual(['redirect_uri']);
        const request = { type, redirectUris: ['https://app.example/'], postLogoutRedirectUris: [uri] };
        expect(await rejectedFields(request)).toEqual(['post_logout_redirect_uri']);
      },
    );

    it.each([
      ['web', 'https://app.example/callback?tenant=1', 'client_secret_basic'],
      ['spa', 'http://localhost:5173/callback', 'none'],
      ['web', "https://app.example/a-b_c.d~e!$&'()*+,;=:@/%C3%A9?x[]=1", 'client_secret_basic'],
      ['native', 'https://app.example/callback', 'none'],
      ['native', 'http://127.0.0.1/callback', 'none'],
      ['native', 'http://[::1]:8080/callback', 'none'],
      ['native', 'com.example.app:/callback', 'none'],
    ] as const)(
      'of type %s is accepted with the redirect URI %s, and gets the safe authentication method of its type',
      async (type, uri, method) => {
        const { client, secret } = await clients().add({ ...machine, type, redirectUris: [uri] });
        expect(client).toMatchObject({ redirectUris: [uri], authMethod: method, role: null });
        expect(secret === null).toBe(method === 'none');
        expect(await clients().get(client.id)).toEqual(client);
      },
    );

    it.each([
      ['no key', []],
      [
        'a private key',
        [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })],
      ],
      ['a symmetric key', [{ kty: 'oct', k: 'c2VjcmV0' }]],
      ['a point that is not on the curve', [{ ...jwkOf('P-256'), x: jwkOf('P-256').y }]],
      ['an unsupported curve', [jwkOf('secp256k1')]],
      ['a short RSA key', [rsaJwk(1024)]],
      ['a key for encryption', [{ ...jwkOf('P-256'), use: 'enc' }]],
      ['an unsupported algorithm', [{ ...jwkOf('P-256'), alg: 'HS256' }]],
      [
        'two keys with the same kid',
        [
          { ...jwkOf('P-256'), kid: 'a' },
          { ...jwkOf('P-256'), kid: 'a' },
        ],
      ],
      ['more than ten keys', Array.from({ length: 11 }, (_, i) => ({ ...jwkOf('P-256'), kid: `${i}` }))],
      ['a string in place of the keys', 'keys'],
    ])('is rejected with %s', async (_, keys) => {
      const fields = await rejectedFields({ jwks: { keys } });
      expect(fields.length).toBeGreaterThan(0);
      for (const field of fields) expect(field).toMatch(/^jwks/);
    });

    it('may have several public keys of all supported kinds', async () => {
      const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
      const keys = [jwkOf('P-256'), jwkOf('P-384'), rsaJwk(2048), ed25519].map((jwk, i) => ({
        ...jwk,
        kid: `${i}`,
      }));
      const { client, secret } = await clients().add({ ...machine, jwks: { keys } });
      expect([client.authMethod, client.secrets, secret]).toEqual(['private_key_jwt', [], null]);
      expect((await clients().get(client.id)).jwks).toEqual({ keys });
    });
  });

  describe('rotating a secret', () => {
    it('keeps only the latest old one until the overlap ends', async () => {
      const { client } = await clients().add(machine);
      const [first] = client.secrets;
      const { client: second } = await clients().rotateSecret(client.id, 60);
      expect(second.secrets.map(({ expiresAt }) => expiresAt)).toEqual([new Date(time.now + 60_000), null]);
      expect(second.secrets[0]?.id).toBe(first?.id);
      const { client: third } = await clients().rotateSecret(client.id, 60);
      expect(third.secrets.map(({ id }) => id)).toEqual([second.secrets[1]?.id, third.secrets[1]?.id]);
    });

    it('without overlap keeps only the new one', async () => {
      const { client } = await clients().add(machine);
      expect((await clients().rotateSecret(client.id, 0)).client.secrets).toHaveLength(1);
    });

    it('never extends the lifetime of a secret', async () => {
      const { client } = await clients().add(machine);
      const { client: rotated } = await clients().rotateSecret(client.id, 60);
      await clients().removeSecret(client.id, rotated.secrets[1]?.id ?? '');
      const { client: again } = await clients().rotateSecret(client.id, 3_600);
      expect(again.secrets[0]).toEqual(rotated.secrets[0]);
    });

    it('stores ten concurrent rotations as ten versions', async () => {
      const { client } = await clients().add(machine);
      const rotations = await Promise.all(
        Array.from({ length: 10 }, () => clients().rotateSecret(client.id, 60)),
      );
      expect(new Set(rotations.map(({ client: { version } }) => version)).size).toBe(10);
      expect((await clients().get(client.id)).version).toBe(11);
    });
  });

  describe('the list of clients', () => {
    it('contains every client, even over several pages', async () => {
      const before = (await Array.fromAsync(clients().list())).length;
      const added: ClientWithSecret[] = [];
      // In batches, because the test database is not made for hundreds of concurrent writes.
      for (let i = 0; i < 41; i += 1)
        added.push(...(await Promise.all(Array.from({ length: 5 }, () => clients().add(machine)))));
      const listed = (await Array.fromAsync(clients().list())).map(({ id }) => id);
      expect(listed).toHaveLength(before + 205);
      expect(listed).toEqual(expect.arrayContaining(added.map(({ client }) => client.id)));
    });
  });

  describe('an unknown client', () => {
    it('is answered with not_found by every change', async () => {
      const id = uuidv7();
      for (const change of [
        () => clients().get(id),
        () => clients().rotateSecret(id, 0),
        () => clients().setStatus(id, 'disabled'),
        () => clients().remove(id),
      ])
        await expect(change()).rejects.toMatchObject({ code: 'not_found' });
    });
  });
});
