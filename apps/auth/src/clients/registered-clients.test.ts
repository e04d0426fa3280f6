import { createSecretKey, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { assembleClients } from '../composition/clients.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import type { ClientRequest } from './client-rules.ts';
import { listRequestableScopes } from './requestable-scopes.ts';

const derived = { clientSecrets: createSecretKey(randomBytes(32)) };
const machine: ClientRequest = { type: 'machine', name: 'Importer', scopes: ['tickets:read'] };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const time = { now: Date.now() };
  const clients = () => assembleClients({ storage: storage.get(), derived, now: () => new Date(time.now) });

  describe('a client that a developer registers', () => {
    const web = {
      type: 'web' as const,
      name: 'Printshop',
      scopes: ['openid', 'tickets:read'],
      homePage: 'https://printshop.example/',
      redirectUris: ['https://printshop.example/callback'],
    };
    const register = (request: Partial<typeof web> = {}, owner = uuidv7()) =>
      clients().register({ ...web, ...request }, { id: owner, limit: 2 });

    it('belongs to the developer, is not verified, and is listed among their clients', async () => {
      const owner = uuidv7();
      const { client, secret } = await register({}, owner);
      expect(client).toMatchObject({ ...web, owner, isVerified: false, role: null });
      expect(secret).toMatch(/^kdcs_/);
      expect(await Array.fromAsync(clients().list(owner))).toEqual([client]);
    });

    it('gets no role, even if it is a machine client that requests one', async () => {
      const greedy = { ...machine, role: 'admin' as const };
      expect((await clients().register(greedy, { id: uuidv7(), limit: 1 })).client.role).toBeNull();
    });

    it('has a token status at once if it is a machine client, as has that of an operator', async () => {
      const registered = await clients().register(machine, { id: uuidv7(), limit: 1 });
      const added = await clients().add(machine);
      const { tokenStatuses } = storage.get();
      expect(await tokenStatuses.listOfClient(registered.client.id)).toHaveLength(1);
      expect(await tokenStatuses.listOfClient(added.client.id)).toHaveLength(1);
      await clients().remove(added.client.id);
      expect(await tokenStatuses.listOfClient(added.client.id)).toEqual([]);
    });

    it('is rejected over the limit of the developer, even in a race', async () => {
      const owner = uuidv7();
      const results = await Promise.allSettled(Array.from({ length: 5 }, () => register({}, owner)));
      const rejected = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      expect(rejected.map(({ code }) => code)).toEqual(['conflict', 'conflict', 'conflict']);
    });

    it('may request tickets:delete only while it is verified', async () => {
      const scopes = ['tickets:delete'];
      await expect(register({ scopes })).rejects.toMatchObject({ errors: [{ field: 'scope' }] });
      const { client } = await register();
      await clients().setVerified(client.id, true);
      const edited = await clients().edit(client.id, { ...web, scopes }, 2);
      expect(listRequestableScopes(edited)).toEqual(scopes);
      expect(listRequestableScopes(await clients().setVerified(client.id, false))).toEqual([]);
    });

    it.each([
      'javascript:alert(1)',
      'data:text/html,hi',
      'http://printshop.example/',
      'https://user:password@printshop.example/',
      'printshop.example',
    ])('is rejected with the home page %s', async (homePage) => {
      await expect(register({ homePage })).rejects.toMatchObject({ errors: [{ field: 'home_page' }] });
    });

    it.each([
      ['name', { name: 'Your Bank' }],
      ['home page', { homePage: 'https://bank.example/' }],
      ['redirect URI', { redirectUris: ['https://bank.example/callback'] }],
    ])('loses its verification with another %s', async (_, change) => {
      const { client } = await register();
      await clients().setVerified(client.id, true);
      const same = await clients().edit(client.id, { ...web, scopes: ['openid'] }, 2);
      expect(same).toMatchObject({ isVerified: true, scopes: ['openid'] });
      expect((await clients().edit(client.id, { ...web, ...change }, 3)).isVerified).toBe(false);
    });

    it('is not changed by an edit of an earlier version', async () => {
      const { client } = await register();
      await clients().edit(client.id, { ...web, name: 'First' }, 1);
      const late = clients().edit(client.id, { ...web, name: 'Second' }, 1);
      await expect(late).rejects.toMatchObject({ code: 'conflict' });
      expect((await clients().get(client.id)).name).toBe('First');
    });

    it('has at most two secrets, which both work until one is removed', async () => {
      const { client } = await register();
      const { client: both } = await clients().addSecret(client.id);
      expect(both.secrets.map(({ expiresAt }) => expiresAt)).toEqual([null, null]);
      await expect(clients().addSecret(client.id)).rejects.toMatchObject({ code: 'conflict' });
      const [first] = client.secrets;
      const { secrets } = await clients().removeSecret(client.id, first?.id ?? '');
      expect(secrets).toEqual(both.secrets.slice(1));
      const again = clients().removeSecret(client.id, first?.id ?? '');
      await expect(again).rejects.toMatchObject({ code: 'not_found' });
    });

    it('can get a new secret once an old one has expired', async () => {
      const { client } = await register();
      const rotated = await clients().rotateSecret(client.id, 60);
      time.now += 60_000;
      const { client: renewed } = await clients().addSecret(client.id);
      expect(renewed.secrets[0]).toEqual(rotated.client.secrets[1]);
      expect(renewed.secrets).toHaveLength(2);
    });
  });

  describe('the role of a client', () => {
    it('can be set only for machine clients', async () => {
      const { client } = await clients().add(machine);
      expect((await clients().setRole(client.id, 'agent')).role).toBe('agent');
      expect((await clients().setRole(client.id, null)).role).toBeNull();
      const spa = { ...machine, type: 'spa' as const, redirectUris: ['https://app.example/'] };
      const other = await clients().add(spa);
      const rejected = clients().setRole(other.client.id, 'agent');
      await expect(rejected).rejects.toMatchObject({ errors: [{ field: 'role' }] });
    });
  });
});
