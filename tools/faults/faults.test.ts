import { randomUUID } from 'node:crypto';
import { describeWith } from '@keydesk/testing';
import { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { newFolder } from '../../apps/auth/src/tests/processes.fixture.ts';
import { createApiTarget } from './api-target.ts';
import { createAuthTarget } from './auth-target.ts';
import { createShortFaults } from './faults.ts';
import { runFaults } from './run-faults.ts';

// `npm run faults` also resets connections repeatedly, lets MongoDB hang for 5 and 40 seconds, and its primary step down.
describeWith('mongodb', 'an app that starts before MongoDB, whose connections then fail', (url) => {
  it.each([
    ['API', createApiTarget],
    ['authorization server', createAuthTarget],
  ])(
    'answers in time or with 503, and loses and doubles nothing: the %s',
    { timeout: 180_000 },
    async (_, createTarget) => {
      const mongoUrl = new URL(url);
      mongoUrl.pathname = `/faults_${randomUUID().slice(0, 8)}`;
      const results = await runFaults({
        mongoUrl: mongoUrl.href,
        folder: newFolder(),
        connections: 3,
        createFaults: createShortFaults,
        createTarget,
      });
      await dropDatabase(mongoUrl.href);
      expect(results.flatMap(({ faults }) => faults)).toEqual([]);
      expect(results.map(({ acknowledged }) => acknowledged > 0)).toEqual([true, true]);
    },
  );
});

async function dropDatabase(url: string): Promise<void> {
  const client = new mongo.MongoClient(url);
  await client.db().dropDatabase();
  await client.close();
}
