import { expect, it, onTestFinished } from 'vitest';
import { toArtifactKey } from '../artifacts/artifact-key.ts';
import { openStorage } from '../storage/open-storage.ts';
import { createSqliteDatabase } from '../storage/test-database.fixture.ts';
import { createMachineStatuses } from './machine-statuses.ts';

const MINUTES_PER_DAY = 1_440;

async function openArtifacts() {
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  onTestFinished(async () => {
    await storage.close();
    await database.drop();
  });
  return storage.artifacts;
}

it('extends the status of a client that gets tokens all the time', async () => {
  const artifacts = await openArtifacts();
  const startedAt = Date.now();
  let now = new Date(startedAt);
  const findStatus = createMachineStatuses({ artifacts, allocate: async () => 7, now: () => now });
  for (let minutes = 0; minutes <= 400 * MINUTES_PER_DAY; minutes += 30) {
    now = new Date(startedAt + minutes * 60_000);
    await findStatus('printer');
  }
  expect(await artifacts.find('Grant', toArtifactKey('machine printer'), now)).toMatchObject({
    statusIndex: 7,
  });
});
