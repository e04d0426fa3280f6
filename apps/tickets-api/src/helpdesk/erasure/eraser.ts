import type { ErasureTarget } from './erasure-store.ts';

/** Replaces the address and name of a person everywhere in plain data. */
export type Eraser = <Data>(data: Data) => Data;

/** Replacement of an address in text. */
const ERASED = '[erased]';

/** Returns the placeholder address of an erased person; no mail can be sent to it (RFC 2606 §2). */
export function toPlaceholder(personId: string | undefined): string {
  return `${personId ?? 'somebody'}@erased.invalid`;
}

/**
 * Creates an eraser. References keep the id, so that related records stay related. The address is erased in every text,
 * but not as part of a longer address, which belongs to another person.
 */
export function createEraser({ email, personId }: ErasureTarget): Eraser {
  const address = new RegExp(`(?<![\\w.%+-])${RegExp.escape(email)}(?![\\w-]|\\.\\w)`, 'gi');

  function eraseText(text: string): string {
    return text.toLowerCase() === email ? toPlaceholder(personId) : text.replace(address, ERASED);
  }

  function eraseObject(object: Record<string, unknown>): Record<string, unknown> {
    if ('email' in object && (object.email === email || refersToPerson(object))) {
      return { ...object, email: toPlaceholder(String(object.id)), name: null };
    }
    const erased = Object.fromEntries(Object.entries(object).map(([name, value]) => [name, erase(value)]));
    return object.type === 'person' && refersToPerson(object) ? { ...erased, name: null } : erased;
  }

  function refersToPerson({ id }: Record<string, unknown>): boolean {
    return personId !== undefined && id === personId;
  }

  /** Erases a list and removes duplicates that result from it. */
  function eraseList(list: readonly unknown[]): unknown[] {
    const erased = list.map(erase);
    const seen = new Set(erased.filter((each, i) => each === list[i]));
    return erased.filter((each, i) => each === list[i] || (!seen.has(each) && seen.add(each)));
  }

  function erase(value: unknown): unknown {
    if (typeof value === 'string') return eraseText(value);
    if (Array.isArray(value)) return eraseList(value);
    return typeof value === 'object' && value !== null
      ? eraseObject(value as Record<string, unknown>)
      : value;
  }

  return (data) => erase(data) as typeof data;
}
