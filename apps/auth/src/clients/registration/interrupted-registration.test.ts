import { AppError } from '@keydesk/server';
import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import type { Storage } from '../../storage/storage.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';
import { createInitialAccessTokens } from './initial-access-tokens.ts';

const DAY_MS = 86_400_000;

onEveryEngine((engine) => {
  const storage = useStorage(engine);

  /** Registers a client at a server on the given storage; returns the status. */
  async function registerOn(broken: Storage): Promise<number> {
    const server = await startTestServer(broken);
    const store = storage.get().initialAccessTokens;
    const tokens = createInitialAccessTokens({ store, now: () => new Date(), newId: uuidv7 });
    const { token } = await tokens.add({ name: 'partner', uses: 1, lifeSeconds: 60 });
    const { status } = await fetch(`${server.url}/reg`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'App', redirect_uris: ['https://app.example/callback'] }),
    });
    await server.stop();
    return status;
  }
  const fail = async () => {
    throw new AppError('unavailable', 'The database is away.');
  };
  const counts = async () => {
    const { clients, registrations } = storage.get();
    const idle = await registrations.listIdle(new Date(Date.now() + DAY_MS), 10);
    return [(await clients.list({ limit: 10 })).length, idle.length];
  };

  it('leaves no client without a registration, wherever a registration is interrupted', async () => {
    const { registrations, clients } = storage.get();
    expect(await registerOn({ ...storage.get(), registrations: { ...registrations, insert: fail } })).toBe(
      503,
    );
    expect(await counts()).toEqual([0, 0]);
    expect(await registerOn({ ...storage.get(), clients: { ...clients, insertWithinLimit: fail } })).toBe(
      503,
    );
    // The remaining registration is listed as idle and removed with the idle clients.
    expect(await counts()).toEqual([0, 1]);
  });
});
