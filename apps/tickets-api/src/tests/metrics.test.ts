import { createMetrics } from '@keydesk/server';
import { useStarted } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi } from './api.fixture.ts';

const metrics = createMetrics();
const env = { STEP_UP_ACR_VALUES: 'gold' };

describe('the metrics of the API', () => {
  const api = useStarted(() => startApi({ metrics, env }));
  let listening: Awaited<ReturnType<typeof metrics.serve>>;
  beforeAll(async () => {
    listening = await metrics.serve({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => listening.close());

  /** Reads the value of a series. */
  async function read(series: string): Promise<number | undefined> {
    const text = await (await fetch(`${listening.url}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  }

  it('count refused step-ups by route (RFC 9470)', async () => {
    const person = { sub: 'grace', email: 'grace@example.com', email_verified: true, role: 'admin' };
    const token = api.issuer.token({ client_id: 'app', scope: 'tickets:read', acr: 'silver', ...person });
    const answer = await api.request('GET', '/events.json', undefined, { Authorization: `Bearer ${token}` });
    expect(answer.status).toBe(401);
    const series = 'http_problems_total{route="/events",code="insufficient_user_authentication"}';
    await expect.poll(() => read(series)).toBe(1);
  });

  it('measure the delivery of a change to a waiting reader', async () => {
    const { json } = await api.request('GET', '/changes.json?since=now');
    const waiting = api.request('GET', `/changes.json?since=${json.position}&wait=60`);
    await expect.poll(() => read('api_waiting_requests')).toBe(1);
    await api.addTicket();
    expect((await waiting).json.changes).toHaveLength(1);
    expect(await read('api_feed_delivery_seconds_count')).toBe(1);
    await expect.poll(() => read('api_waiting_requests')).toBe(0);
  });
});
