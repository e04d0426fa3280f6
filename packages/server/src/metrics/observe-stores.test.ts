import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError, createMetrics, observeStores } from '../index.ts';

const port = {
  find: async (id: string) => id,
  async write(err: unknown): Promise<void> {
    throw err;
  },
  async *list() {
    yield 1;
  },
  limit: 7,
};

async function observe() {
  const metrics = createMetrics();
  const listening = await metrics.serve({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => listening.close());
  const storage = observeStores({ notes: port }, { url: 'sqlite:notes.db', metrics, isTraced: false });
  return { storage, read: async () => (await fetch(`${listening.url}/metrics`)).text() };
}

describe('an observed storage', () => {
  it('returns what its ports return, and rejects as they do', async () => {
    const { storage } = await observe();
    expect(await storage.notes.find('a')).toBe('a');
    expect(await Array.fromAsync(storage.notes.list())).toEqual([1]);
    expect(storage.notes.limit).toBe(7);
    const failure = new Error('x');
    await expect(storage.notes.write(failure)).rejects.toBe(failure);
  });

  it('measures calls by port and method; only failures of the database count as failed', async () => {
    const { storage, read } = await observe();
    await storage.notes.find('a');
    await storage.notes.write(new AppError('conflict', 'changed')).catch(() => undefined);
    await storage.notes.write(new AppError('unavailable', 'down')).catch(() => undefined);
    const text = await read();
    const countOf = (operation: string, outcome: string) =>
      `storage_operation_duration_seconds_count{store="notes",operation="${operation}",outcome="${outcome}"} 1`;
    expect(text).toContain(countOf('find', 'ok'));
    expect(text).toContain(countOf('write', 'ok'));
    expect(text).toContain(countOf('write', 'failed'));
    expect(text).toMatch(/^storage_operations_in_flight 0$/m);
  });

  it('is the storage itself when nothing observes it', () => {
    const storage = { notes: port };
    expect(observeStores(storage, { url: 'sqlite:x', metrics: undefined, isTraced: false })).toBe(storage);
  });
});
