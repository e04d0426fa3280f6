import { setTimeout as sleep } from 'node:timers/promises';
import { withPatience } from '@keydesk/testing';
import { openStorage, type StorageLocation } from './open-storage.ts';
import type { StorageCall, StorageCalls } from './other-process.fixture.ts';
import type { Storage } from './storage.ts';

const opened = new Map<string, Promise<Storage>>();

process.on('message', (calls: StorageCalls) => {
  callAll(calls).then(
    (results) => process.send?.(results),
    (err) => process.send?.(err),
  );
});
process.on('disconnect', async () => {
  for (const storage of opened.values()) await (await storage).close();
});
process.send?.('ready');

async function callAll({ location, calls, at }: StorageCalls): Promise<unknown[]> {
  const storage = await open(location);
  await sleep(Math.max(0, at - Date.now()));
  return Promise.all(calls.map((call) => make(storage, call)));
}

function open(location: StorageLocation): Promise<Storage> {
  const name = JSON.stringify(location);
  const storage = opened.get(name) ?? openStorage(location).then(withPatience);
  opened.set(name, storage);
  return storage;
}

function make(storage: Storage, [port, method, ...args]: StorageCall): Promise<unknown> {
  const methods = storage[port] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  return methods[method]?.(...args) ?? Promise.reject(new Error(`Unknown method ${port}.${method}.`));
}
