import { createMetrics } from '@keydesk/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { startTestServer } from './test-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);

  describe('a running server', () => {
    it('deletes expired records and counts them', async () => {
      const { artifacts } = storage.get();
      const expired = {
        model: 'ReplayDetection',
        payload: Buffer.from('x'),
        expiresAt: new Date(Date.now() - 1),
      };
      await artifacts.upsert({ ...expired, key: 'expired' });
      await artifacts.upsert({ ...expired, key: 'alive', expiresAt: new Date(Date.now() + 3_600_000) });
      const metrics = createMetrics();
      const listening = await metrics.serve({ host: '127.0.0.1', port: 0 });
      const server = await startTestServer(storage.get(), { metrics, config: { purgeIntervalSeconds: 1 } });
      onTestFinished(async () => {
        await server.stop();
        await listening.close();
      });
      const purged = async () =>
        /auth_expired_purged_total (\d+)/.exec(await (await fetch(`${listening.url}/metrics`)).text())?.[1];
      await expect.poll(purged).toBe('1');
      const found = await artifacts.find('ReplayDetection', 'alive', new Date());
      expect(found?.key).toBe('alive');
      expect(await artifacts.find('ReplayDetection', 'expired', new Date(0))).toBeUndefined();
    });
  });
});
