import { createFieldSet, type FieldSet } from './field-set.ts';
import type { FieldStore } from './field-store.ts';

/** The definitions of custom fields as this process knows them. */
export interface FieldCatalogue {
  /**
   * Not older than a second, whichever process changed them. The same object for as long as nothing is different, so
   * that what was made of it can be remembered by it.
   */
  current(): Promise<FieldSet>;
  /** Makes the next call of `current` look again. */
  forget(): void;
}

const FRESH_MS = 1_000;
/** They see every definition. */
const staff = { isStaff: true };

export interface FieldCatalogueDeps {
  store: Pick<FieldStore, 'list'>;
  now: () => Date;
}

export function createFieldCatalogue({ store, now }: FieldCatalogueDeps): FieldCatalogue {
  let known: FieldSet | undefined;
  let reading: Promise<FieldSet> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let generation = 0;

  async function read(): Promise<FieldSet> {
    const [startedAt, startedIn] = [now().getTime(), generation];
    const definitions = await store.list();
    // What was asked for before something was forgotten may be what it was before.
    if (startedIn !== generation) return read();
    const fields = createFieldSet(definitions);
    known = known?.tagFor(staff) === fields.tagFor(staff) ? known : fields;
    readAt = startedAt;
    return known;
  }

  function isFresh(): boolean {
    return Math.abs(now().getTime() - readAt) < FRESH_MS;
  }

  return {
    async current() {
      if (known && isFresh()) return known;
      reading ??= read().finally(() => {
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
