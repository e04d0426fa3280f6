import { createMetrics } from '@keydesk/server';
import { useStarted } from '@keydesk/testing';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';
import { expireIdleClients } from './idle-clients.ts';
import { createInitialAccessTokens } from './initial-access-tokens.ts';

const DAY_MS = 86_400_000;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const metrics = createMetrics();
  const server = useStarted(() =>
    startTestServer(storage.get(), {
      metrics,
      config: {
        registrationGrantTypes: ['client_credentials'],
        registrationIdleDays: 30,
        purgeIntervalSeconds: 0.2,
        keyPollSeconds: 0.1,
      },
    }),
  );

  /** Registers machine clients; returns the token request of each. */
  async function register(count: number) {
    const store = storage.get().initialAccessTokens;
    const tokens = createInitialAccessTokens({ store, now: () => new Date(), newId: uuidv7 });
    const { token } = await tokens.add({ name: 'partner', uses: count, lifeSeconds: 60 });
    const request = {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Job',
        grant_types: ['client_credentials'],
        scope: 'tickets:read',
      }),
    };
    const bodies = Array.from({ length: count }, async () =>
      (await fetch(`${server.url}/reg`, request)).json(),
    );
    return (await Promise.all(bodies)).map((body) => {
      const { client_id, client_secret } = body as Record<'client_id' | 'client_secret', string>;
      return { grant_type: 'client_credentials', client_id, client_secret };
    });
  }

  describe('an idle registered client', () => {
    it('is removed after the configured days, unlike active clients and clients of operators', async () => {
      const find = (id: string | undefined) => storage.get().clients.find(id ?? '');
      const own = await server.addClient();
      const [idle, used] = await register(2);
      server.time.ahead = 20 * DAY_MS;
      // Token requests succeed once the signing keys are valid at the new time.
      const statusOfUse = async () => (await server.requestToken(used ?? {})).status;
      await expect.poll(statusOfUse).toBe(200);
      server.time.ahead = 31 * DAY_MS;
      await expect.poll(() => find(idle?.client_id)).toBeUndefined();
      expect(await find(used?.client_id)).toBeDefined();
      expect(await find(own.id)).toBeDefined();
      const removals = { types: ['client.idle_removed'], clientId: idle?.client_id, limit: 1 } as const;
      await expect.poll(() => storage.get().audit.list(removals)).toHaveLength(1);
      const listener = await metrics.serve({ host: '127.0.0.1', port: 0 });
      onTestFinished(() => listener.close());
      const readMetrics = async () => (await fetch(`${listener.url}/metrics`)).text();
      // The metric is updated after the audit record.
      await expect.poll(readMetrics).toContain('auth_idle_clients_removed_total 1');
    });

    it('is never removed if the setting is 0', async () => {
      await register(1);
      const { registrations } = storage.get();
      const never = { registrations, clients: server.clients, idleDays: 0, onRemoved: async () => undefined };
      const later = new Date(Date.now() + 10 * 365 * DAY_MS);
      expect(await registrations.listIdle(later, 10)).not.toEqual([]);
      expect(await expireIdleClients(never).purgeExpired(later, 10)).toBe(0);
    });
  });
});
