/** Cache of data that administrators change while the process runs. */
export interface Catalogue<Known> {
  /**
   * Not older than a second, whichever process changed it. The same object for as long as nothing is different, so that
   * what was made of it can be remembered by it.
   */
  current(): Promise<Known>;
  /** Makes the next call of `current` read again. */
  forget(): void;
}

const FRESH_MS = 1_000;

export interface CatalogueDeps<Known> {
  read: () => Promise<Known>;
  /** The same for two that are not different. */
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
