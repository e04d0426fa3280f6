import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStorage } from '../../../apps/auth/src/storage/open-storage.ts';
import { newFolder } from '../../../apps/auth/src/tests/processes.fixture.ts';
import { findFaults } from './verify.ts';

const PROBLEM = 'a@example.org: violated: no token works after its code was used twice';

// Refuses all codes, and revokes nothing.
const server = createServer((request, response) => {
  request.setEncoding('utf8').once('data', (form: string) => {
    const isCode = form.includes('grant_type=authorization_code');
    response.writeHead(isCode ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isCode ? { error: 'invalid_grant' } : { refresh_token: 'newest' }));
  });
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => server.close());

it('reports a refresh token that survives the second use of a code', async () => {
  expect(await faultsOf({ ageSeconds: 0 })).toEqual([PROBLEM]);
});

it('accepts it when the code had expired, because such a code revokes nothing', async () => {
  expect(await faultsOf({ ageSeconds: 60 })).toEqual([]);
});

async function faultsOf({ ageSeconds }: { ageSeconds: number }): Promise<readonly string[]> {
  const url = `sqlite:${join(newFolder(), 'auth.db')}`;
  await using opened = new AsyncDisposableStack();
  const storage = opened.adopt(await openStorage({ url }), (each) => each.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requestedAt = performance.now() - ageSeconds * 1_000;
  const visit = {
    email: 'a@example.org',
    hasAccount: false,
    code: { value: 'code', verifier: 'verifier', requestedAt },
    refreshTokens: ['oldest'],
    isUsedUp: false,
    isInFlight: false,
  };
  const application = { issuer, clientId: 'client' };
  return findFaults({ application, storage }, { visits: [visit], registrations: [] });
}
