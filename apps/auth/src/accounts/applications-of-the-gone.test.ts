import { createLogger } from '@keydesk/http';
import { describe, expect, it } from 'vitest';
import { createDirectAudit } from '../audit/audit.ts';
import { loadAuthConfig } from '../config.ts';
import { deriveKeys } from '../keys/derived-keys.ts';
import { createPeople } from '../people.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { masterSecret, startTestServer } from '../test-server.fixture.ts';

const config = loadAuthConfig({ MASTER_SECRET: masterSecret });
const log = createLogger({ name: 'test', level: 'silent', isPretty: false });
const operator = { address: 'cli', actor: 'operator' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);

  describe('the applications of an account', () => {
    it.each(['disable', 'remove'] as const)(
      'are disabled by a %s of it, which is on record',
      async (verb) => {
        const server = await startTestServer(storage.get());
        const { audit, clients } = storage.get();
        const people = createPeople(
          { config, log, storage: storage.get(), clock: Date.now, audit: createDirectAudit(audit) },
          deriveKeys(masterSecret),
        );
        const { id: owner } = await server.addAccount();
        const request = {
          type: 'spa' as const,
          name: 'App',
          scopes: [],
          redirectUris: ['https://app.example/'],
        };
        const own = await server.clients.register(request, { id: owner, limit: 5 });
        const other = await server.clients.register(request, { id: 'somebody else', limit: 5 });
        await people.accounts[verb](owner, operator);
        expect(await clients.find(own.client.id)).toMatchObject({ status: 'disabled' });
        expect(await clients.find(other.client.id)).toMatchObject({ status: 'active' });
        const [record] = await audit.list({ types: ['client.disabled'], accountId: owner, limit: 5 });
        expect(record).toMatchObject({ actor: 'operator', clientId: own.client.id, address: 'cli' });
        const another = () => server.clients.register(request, { id: owner, limit: 5 });
        await expect(another()).rejects.toMatchObject({ code: 'conflict' });
        if (verb === 'disable') await people.accounts.enable(owner, operator);
        if (verb === 'disable') expect((await another()).client).toMatchObject({ status: 'active' });
        await people.stop();
        await server.stop();
      },
    );
  });
});
