/** How long values are remembered unless said otherwise: a process may act by what was true so long ago. */
export const REMEMBERED_SECONDS = 1;

/** What was read a moment ago. */
export interface Memory<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

export interface MemoryOptions {
  now: () => Date;
  /** How many are remembered; the one that was set the longest ago is forgotten first. */
  max?: number;
  /** How long. Other processes may change what is remembered here, as the command does that erases a person. */
  forSeconds?: number;
}

/** Remembers a bounded number of values for a short time. */
export function createMemory<Value>({
  now,
  max = 1000,
  forSeconds = REMEMBERED_SECONDS,
}: MemoryOptions): Memory<Value> {
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
