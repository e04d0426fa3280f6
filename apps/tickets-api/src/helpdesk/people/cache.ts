/** Default lifetime of cached values in seconds. A process may act on a state that is this old. */
export const CACHE_SECONDS = 1;

/** Cache with a bounded number of short-lived entries. */
export interface Cache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

export interface CacheOptions {
  now: () => Date;
  /** Maximum number of entries; the oldest one is evicted. */
  max?: number;
  /**
   * Lifetime of an entry in seconds. Other processes may change the cached data, such as the command that erases a
   * person.
   */
  ttlSeconds?: number;
}

/** Creates a cache with a bounded number of short-lived entries. */
export function createCache<Value>({
  now,
  max = 1000,
  ttlSeconds: forSeconds = CACHE_SECONDS,
}: CacheOptions): Cache<Value> {
  const entries = new Map<string, { value: Value; until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry && entry.until > now().getTime()) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, { value, until: now().getTime() + forSeconds * 1000 });
      const [oldest] = entries.keys();
      if (entries.size > max && oldest !== undefined) entries.delete(oldest);
    },
  };
}
