import { createMetrics } from '@keydesk/server';
import { expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../storage/open-storage.ts';
import { createSqliteDatabase } from '../storage/test-database.fixture.ts';
import { obtainTokens, startJourney } from './people.fixture.ts';
import { startTestServer } from './test-server.fixture.ts';

it('the metrics count sign-ins and tokens, and show the queues of hashes and mails', async () => {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  const metrics = createMetrics();
  const listening = await metrics.serve({ host: '127.0.0.1', port: 0 });
  const server = await startTestServer(storage, { metrics });
  onTestFinished(async () => {
    await server.stop();
    await listening.close();
    await storage.close();
    await database.drop();
  });
  await obtainTokens(await startJourney(server));
  const text = await (await fetch(`${listening.url}/metrics`)).text();
  expect(text).toContain('auth_audit_events_total{type="account.signed_in"} 1');
  // Prometheus can only count the first event of a series that began at 0.
  expect(text).toContain('auth_audit_events_total{type="token.reused"} 0');
  expect(text).toContain('auth_tokens_issued_total{grant_type="authorization_code"} 1');
  expect(text).toMatch(/^auth_password_hashes_pending 0$/m);
  expect(text).toMatch(/^auth_password_hashes_limit [1-9]/m);
  expect(text).toMatch(/^auth_background_tasks_pending \d+$/m);
});
