import type { Needles } from './erasure-store.ts';

/** Replaces somebody's address and name in plain data, wherever in it they are. */
export type Eraser = <Data>(data: Data) => Data;

/** Stands in text for an address. */
const ERASED = '[erased]';

/** The address of somebody whose own was erased: it names nobody, and no mail can be sent to it (RFC 2606 §2). */
export function toPlaceholder(personId: string | undefined): string {
  return `${personId ?? 'somebody'}@erased.invalid`;
}

/**
 * References keep the id, so that what belonged together still does. The address is found in every text, but not inside
 * a longer one, which is another's.
 */
export function createEraser({ email, personId }: Needles): Eraser {
  const address = new RegExp(`(?<![\\w.%+-])${RegExp.escape(email)}(?![\\w-]|\\.\\w)`, 'gi');

  function eraseText(text: string): string {
    return text.toLowerCase() === email ? toPlaceholder(personId) : text.replace(address, ERASED);
  }

  function eraseObject(object: Record<string, unknown>): Record<string, unknown> {
    if ('email' in object && (object.email === email || isTheirs(object))) {
      return { ...object, email: toPlaceholder(String(object.id)), name: null };
    }
    const erased = Object.fromEntries(Object.entries(object).map(([name, value]) => [name, erase(value)]));
    return object.type === 'person' && isTheirs(object) ? { ...erased, name: null } : erased;
  }

  function isTheirs({ id }: Record<string, unknown>): boolean {
    return personId !== undefined && id === personId;
  }

  /** What has become the same is there once. */
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
