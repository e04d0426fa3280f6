import { AppError } from '@keydesk/errors';
import { isConflict } from '@keydesk/storage/mongo-transactions';
import { openStorage, type StorageLocation } from './open-storage.ts';
import type { Storage } from './storage.ts';

type Method = (...args: unknown[]) => unknown;

/**
 * Opens a storage that repeats a call whose transaction conflicted until its time limit, which changed nothing: on a
 * busy machine, the stand-in of MongoDB needs longer for a race than a request may take.
 */
export async function openPatientStorage(location: StorageLocation): Promise<Storage> {
  const { ping, close, ...stores } = await openStorage(location);
  const patientStores = mapValues(stores, (store: object) => mapValues(store, repeatConflicts));
  return { ...(patientStores as typeof stores), ping, close };
}

function mapValues<Value>(record: object, map: (value: Value) => unknown): object {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function repeatConflicts(method: Method): Method {
  return function call(...args): unknown {
    const result = method(...args);
    if (!(result instanceof Promise)) return result;
    return result.catch((err) => {
      if (!(err instanceof AppError && isConflict(err.cause))) throw err;
      return call(...args);
    });
  };
}
