import type { TestIssuer } from '@keydesk/testing';
import { startApi } from '../../tests/api.fixture.ts';

/**
 * Runs an API on the storage of a URL, imports tickets by external ids and prints each answer. It retries while the
 * database is busy, as any client would.
 */
const [storageUrl = '', times = '', sharedIssuer = ''] = process.argv.slice(2);
const { issuer, jwksUrl, token } = JSON.parse(sharedIssuer);
const shared = { issuer, jwksUrl, token: () => token } as unknown as TestIssuer;
const api = await startApi({ storageUrl, issuer: shared, mayFail: true });

async function importTicket(i: number): Promise<void> {
  const path = `/tickets/external/raced-${i}.json`;
  const { status, json } = await api.request('PUT', path, { subject: `Raced ${i}` });
  if (status === 503) return importTicket(i);
  process.stdout.write(`${status} ${json.id ?? json.detail}\n`);
}

process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
for (let i = 0; i < Number(times); i += 2) await Promise.all([importTicket(i), importTicket(i + 1)]);
await api.stop();
process.disconnect();
