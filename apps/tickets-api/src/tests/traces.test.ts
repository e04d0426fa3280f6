import { openRedis } from '@keydesk/rate-limit';
import { loadTelemetry } from '@keydesk/server';
import { describeWith, startOtlpCollector, startRedis } from '@keydesk/testing';
import { expect, it, onTestFinished } from 'vitest';
import { startApi } from './api.fixture.ts';

describeWith('redis', 'the trace of a request on Redis', () => {
  it('contains the commands of its rate limit, without keys and values', async () => {
    const collector = await startOtlpCollector();
    const telemetry = await loadTelemetry({
      endpoint: collector.url,
      headers: {},
      serviceName: 'keydesk-api',
      resourceAttributes: {},
      sampler: 'always_on',
      samplerRatio: 1,
      trustsTraceContext: false,
      peers: [],
    });
    const server = await startRedis();
    const redis = openRedis(server.url);
    const api = await startApi({ redis });
    onTestFinished(async () => {
      await api.stop();
      redis.close();
      await server.stop();
      await collector.stop();
    });
    await expect.poll(() => redis.isUsable()).toBe(true);
    const person = { sub: 'ada-lovelace', client_id: 'app-lovelace', scope: 'tickets:read', role: 'agent' };
    const headers = { Authorization: `Bearer ${api.issuer.token(person)}` };
    expect((await api.request('GET', '/tickets.json', undefined, headers)).status).toBe(200);
    await telemetry?.close();
    const request = collector.spans().find(({ name }) => name === 'GET /tickets');
    const commands = collector.spans().filter(({ attributes }) => attributes['db.system.name'] === 'redis');
    expect(commands).toContainEqual(
      expect.objectContaining({ name: expect.stringMatching(/^eval/), parentSpanId: request?.spanId }),
    );
    expect(collector.received()).not.toMatch(/lovelace|api:|127\.0\.0\.1/);
  });
});
