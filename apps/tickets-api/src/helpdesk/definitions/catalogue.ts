/** Cache of data that administrators change while the process runs. */
export interface Catalogue<Known> {
  /**
   * Returns a state that is at most one second old, whichever process changed it. Returns the same object while nothing
   * changes, so that callers can cache by it.
   */
  current(): Promise<Known>;
  /** Invalidates the cache. */
  forget(): void;
}

const FRESH_MS = 1_000;

export interface CatalogueDeps<Known> {
  read: () => Promise<Known>;
  /** Returns a tag that is equal for equal states. */
  tagOf: (known: Known) => string;
  now: () => Date;
}

export function createCatalogue<Known>({ read, tagOf, now }: CatalogueDeps<Known>): Catalogue<Known> {
  let known: { value: Known } | undefined;
  let reading: Promise<Known> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let generation = 0;

  async function refresh(): Promise<Known> {
    const [startedAt, startedIn] = [now().getTime(), generation];
    const value = await read();
    // A read that began before the cache was invalidated may return the earlier state.
    if (startedIn !== generation) return refresh();
    if (known === undefined || tagOf(known.value) !== tagOf(value)) known = { value };
    readAt = startedAt;
    return known.value;
  }

  function isFresh(): boolean {
    return Math.abs(now().getTime() - readAt) < FRESH_MS;
  }

  return {
    async current() {
      if (known && isFresh()) return known.value;
      reading ??= refresh().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    forget() {
      generation += 1;
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}
