import type { Storage } from './storage.ts';

/** The next call of a method of a store, and what happens right before or after it. */
export type Interception = {
  [Name in keyof Storage]: {
    store: Name;
    method: keyof Storage[Name];
    at: 'before' | 'after';
    act(): Promise<unknown>;
  };
}[keyof Storage];

/** A storage in which a test can act in the middle of a request. */
export interface InterceptedStorage {
  storage: Storage;
  /** Acts at the next such call. */
  intercept(interception: Interception): void;
}

export function createInterceptedStorage(storage: Storage): InterceptedStorage {
  let next: Interception | undefined;

  function take(store: string, method: PropertyKey): Interception | undefined {
    if (next?.store !== store || next.method !== method) return undefined;
    const taken = next;
    next = undefined;
    return taken;
  }

  function wrap(name: string, store: unknown): unknown {
    if (typeof store !== 'object' || store === null) return store;
    return new Proxy(store, {
      get(target, method) {
        const member: unknown = Reflect.get(target, method);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          const taken = take(name, method);
          if (taken?.at === 'before') await taken.act();
          const result: unknown = await member.apply(target, args);
          if (taken?.at === 'after') await taken.act();
          return result;
        };
      },
    });
  }

  const wrapped = Object.entries(storage).map(([name, store]) => [name, wrap(name, store)]);
  return {
    storage: Object.fromEntries(wrapped) as Storage,
    intercept(interception) {
      next = interception;
    },
  };
}
