import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { StorageCall } from '../storage/other-process.fixture.ts';
import { client, later, now, secret, trustRequest } from './client.fixture.ts';
import type { Client } from './client.ts';

/** Contract suite of client stores. */
export function clientStoreContract(engine: Engine): void {
  describe('a client store', () => {
    const storage = useStorage(engine);
    const clients = () => storage.get().clients;

    it('stores every member of a client', async () => {
      const full = client({
        type: 'native',
        homePage: 'https://app.example/',
        policyUri: 'https://app.example/privacy',
        tosUri: 'https://app.example/terms',
        logoDigest: 'digest',
        initiateLoginUri: 'https://app.example/login',
        owner: 'account',
        isVerified: false,
        redirectUris: ['app.example:/callback', 'http://127.0.0.1/'],
        scopes: ['openid', 'tickets:read'],
        grantTypes: ['authorization_code', 'refresh_token'],
        authMethod: 'private_key_jwt',
        jwks: {
          keys: [{ kty: 'EC', kid: '1', 'x5t#S256': 'x', key_ops: ['verify'], ext: true, nested: {} }],
        },
        security: {
          profile: 'fapi2',
          dpopBoundAccessTokens: true,
          requirePushedAuthorizationRequests: true,
          requireSignedRequestObject: true,
          idTokenAlgorithm: 'PS256',
          authorizationResponseAlgorithm: 'ES256',
          isPkceOptional: true,
        },
        role: 'agent',
        trustRequests: {
          role: trustRequest({
            status: 'rejected',
            decisionReason: 'No.',
            closedAt: later,
            closedInVersion: 7,
          }),
          verification: trustRequest({ kind: 'verification', role: null }),
        },
        secrets: [secret({ lastUsedAt: now, expiresAt: later }), secret()],
        status: 'disabled',
        updatedAt: later,
        version: 7,
      });
      await clients().insert(full);
      expect(await clients().find(full.id)).toStrictEqual(full);
    });

    it('stores empty and null members unchanged', async () => {
      const bare = client({ secrets: [], scopes: [], grantTypes: [], jwks: { keys: [] }, name: '' });
      await clients().insert(bare);
      expect(await clients().find(bare.id)).toStrictEqual(bare);
    });

    it('returns undefined for an unknown id', async () => {
      expect(await clients().find(randomUUID())).toBeUndefined();
      expect(await clients().find('')).toBeUndefined();
    });

    it('rejects an id that is in use', async () => {
      const first = client();
      await clients().insert(first);
      await expect(clients().insert({ ...client(), id: first.id })).rejects.toThrow(first.id);
      expect(await clients().find(first.id)).toStrictEqual(first);
    });

    it('removes a client once', async () => {
      const removed = client();
      await clients().insert(removed);
      expect(await clients().remove(removed.id, 1)).toBe(true);
      expect(await clients().remove(removed.id, 1)).toBe(false);
      expect(await clients().find(removed.id)).toBeUndefined();
    });

    it('returns deeply frozen clients', async () => {
      const original = client({ jwks: { keys: [{ kty: 'EC' }] } });
      await clients().insert(original);
      const found = await clients().find(original.id);
      const [listed] = await clients().list({ limit: 1 });
      for (const each of [found, found?.secrets, found?.secrets[0], found?.jwks?.keys[0], listed]) {
        expect(each).toBeDefined();
        expect(Object.isFrozen(each)).toBe(true);
      }
    });

    it('returns immediately what another process has written', async () => {
      const shared = client();
      const [use] = shared.secrets;
      const other = (await storage.openAnother()).clients;
      await clients().insert(shared);
      await clients().find(shared.id);
      await other.replace({ ...shared, name: 'renamed', version: 2 }, 1);
      expect(await clients().find(shared.id)).toMatchObject({ name: 'renamed', version: 2 });
      await other.recordSecretUse(shared.id, use?.id ?? '', later);
      expect(await clients().find(shared.id)).toMatchObject({ secrets: [{ lastUsedAt: later }] });
      await other.remove(shared.id, 2);
      expect(await clients().find(shared.id)).toBeUndefined();
      await other.insert({ ...shared, name: 'anew' });
      expect(await clients().find(shared.id)).toMatchObject({ name: 'anew', version: 1 });
    });
  });

  describe('listing clients', () => {
    const storage = useStorage(engine);
    const clients = () => storage.get().clients;
    const idsOf = (page: readonly Client[]) => page.map(({ id }) => id);

    it('returns every client exactly once, page by page, ordered by id', async () => {
      const ids = ['a', 'b', 'Z', '0', 'ä', '10', '9', 'a1', '\u{1F600}', '\uFFEE'];
      await Promise.all(ids.map((id) => clients().insert(client({ id }))));
      const seen: string[] = [];
      for (;;) {
        const page = await clients().list({
          limit: 3,
          ...(seen.length > 0 && { afterId: seen.at(-1) ?? '' }),
        });
        expect(page.length).toBeLessThanOrEqual(3);
        seen.push(...idsOf(page));
        if (page.length < 3) break;
      }
      expect(seen).toEqual([...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    });

    it('continues after an id that has been removed in the meantime', async () => {
      await clients().remove('a', 1);
      expect(idsOf(await clients().list({ afterId: 'a', limit: 2 }))).toEqual(['a1', 'b']);
    });
  });

  describe('resource servers', () => {
    const storage = useStorage(engine);

    it('are listed by id, including disabled ones', async () => {
      const { clients } = storage.get();
      const added = [
        client({ type: 'resource-server' }),
        client({ type: 'resource-server', status: 'disabled' }),
      ];
      for (const each of [...added, client({ type: 'machine' })]) await clients.insert(each);
      expect(await clients.listResourceServers()).toEqual(added.map(({ id }) => id).toSorted());
    });
  });

  describe('clients with a pending trust request', () => {
    const storage = useStorage(engine);
    const clients = () => storage.get().clients;
    const verification = trustRequest({ kind: 'verification', role: null });
    const idsAfter = async (afterId: string, limit: number) =>
      (await clients().listPending({ afterId, limit })).map(({ id }) => id);

    it('are listed without other clients, page by page', async () => {
      const closed = trustRequest({ status: 'approved', closedAt: later, closedInVersion: 2 });
      for (const [id, trustRequests] of Object.entries({
        a: { role: trustRequest(), verification: null },
        b: { role: closed, verification: null },
        c: { role: closed, verification },
        d: { role: trustRequest(), verification },
        e: { role: null, verification: null },
      }))
        await clients().insert(client({ id, trustRequests }));
      expect(await idsAfter('', 2)).toEqual(['a', 'c']);
      expect(await idsAfter('c', 2)).toEqual(['d']);
    });

    it('are listed as last written by any process', async () => {
      const other = (await storage.openAnother()).clients;
      const [pending] = await clients().listPending({ limit: 1 });
      const trustRequests = { role: null, verification: null };
      await other.replace({ ...client(pending), trustRequests, version: 2 }, 1);
      expect(await idsAfter('', 9)).toEqual(['c', 'd']);
      await other.remove('c', 1);
      expect(await idsAfter('', 9)).toEqual(['d']);
    });
  });

  describe('the clients of one owner', () => {
    const storage = useStorage(engine);
    const clients = () => storage.get().clients;
    const owned = (owner: string, id: string = randomUUID()) => ({ ...client({ id }), owner });

    it('are listed without other clients, page by page', async () => {
      await clients().insert(client({ id: 'a0' }));
      for (const id of ['a1', 'a2', 'a3']) await clients().insert(owned('ada', id));
      await clients().insert(owned('bob', 'a4'));
      const page = await clients().list({ owner: 'ada', limit: 2 });
      expect(page.map(({ id }) => id)).toEqual(['a1', 'a2']);
      const rest = await clients().list({ owner: 'ada', afterId: 'a2', limit: 2 });
      expect(rest.map(({ id }) => id)).toEqual(['a3']);
    });

    it('do not exceed the limit and are stored with every member', async () => {
      const [first, second] = [owned('carol'), owned('carol')];
      expect(await clients().insertWithinLimit(first, 1)).toBe(true);
      expect(await clients().find(first.id)).toStrictEqual(first);
      expect(await clients().insertWithinLimit(second, 1)).toBe(false);
      expect(await clients().find(second.id)).toBeUndefined();
      await clients().remove(first.id, 1);
      expect(await clients().insertWithinLimit(second, 1)).toBe(true);
    });

    it('do not exceed the limit when many are added concurrently on two connections', async () => {
      const stores = [clients(), (await storage.openAnother()).clients];
      const results = await Promise.all(
        Array.from({ length: 6 }).flatMap(() =>
          stores.map((store) => store.insertWithinLimit(owned('dora'), 3)),
        ),
      );
      expect(results.filter(Boolean)).toHaveLength(3);
      expect(await clients().list({ owner: 'dora', limit: 100 })).toHaveLength(3);
    });
  });

  describe('an owner that is closed', () => {
    const storage = useStorage(engine);
    const clients = () => storage.get().clients;
    const owned = (owner: string) => ({ ...client({ id: randomUUID() }), owner });

    it('gets no more clients until it is reopened, and keeps its clients', async () => {
      expect(await clients().insertWithinLimit(owned('eve'), 9)).toBe(true);
      await clients().closeOwner('eve');
      await clients().closeOwner('eve');
      expect(await clients().insertWithinLimit(owned('eve'), 9)).toBe(false);
      expect(await clients().insertWithinLimit(owned('ann'), 9)).toBe(true);
      expect(await clients().list({ owner: 'eve', limit: 9 })).toHaveLength(1);
      await clients().reopenOwner('eve');
      expect(await clients().insertWithinLimit(owned('eve'), 9)).toBe(true);
    });

    it('already has every client that a concurrent insert on two connections adds', async () => {
      const stores = [clients(), (await storage.openAnother()).clients];
      const adding = Promise.all(
        Array.from({ length: 6 }).flatMap(() =>
          stores.map((store) => store.insertWithinLimit(owned('mia'), 99)),
        ),
      );
      await clients().closeOwner('mia');
      const seen = await clients().list({ owner: 'mia', limit: 99 });
      expect((await adding).filter(Boolean)).toHaveLength(seen.length);
      expect(await clients().list({ owner: 'mia', limit: 99 })).toHaveLength(seen.length);
    });
  });

  describe('replacing a client', () => {
    const storage = useStorage(engine);
    const clients = () => storage.get().clients;

    it('replaces the expected version and no other', async () => {
      const first = client({ owner: 'account', jwks: { keys: [{ kty: 'EC' }] } });
      await clients().insert(first);
      const second = { ...client(), id: first.id, version: 2 };
      expect(await clients().replace(second, 2)).toBe(false);
      expect(await clients().find(first.id)).toStrictEqual(first);
      expect(await clients().replace(second, 1)).toBe(true);
      expect(await clients().find(first.id)).toStrictEqual(second);
      expect(await clients().replace(second, 1)).toBe(false);
    });

    it('does not replace an unknown client', async () => {
      const absent = client();
      expect(await clients().replace(absent, 1)).toBe(false);
      expect(await clients().find(absent.id)).toBeUndefined();
    });

    it('succeeds for exactly one of ten concurrent writers, whose version is stored', async () => {
      const contested = client();
      await clients().insert(contested);
      const names = Array.from({ length: 10 }, (_, i) => `racer ${i}`);
      const results = await Promise.all(
        names.map((name) => clients().replace({ ...contested, name, version: 2 }, 1)),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await clients().find(contested.id)).toMatchObject({ name: names[results.indexOf(true)] });
    });

    it('succeeds for exactly one writer of each client in two processes', async () => {
      const contested = Array.from({ length: 10 }, () => client());
      await Promise.all(contested.map((each) => clients().insert(each)));
      const calls = contested.flatMap((each) =>
        Array.from({ length: 3 }, (): StorageCall => ['clients', 'replace', { ...each, version: 2 }, 1]),
      );
      const results = await storage.raceInTwoProcesses(calls);
      expect(results.flat().filter((result) => result === true)).toHaveLength(contested.length);
    });
  });
}
