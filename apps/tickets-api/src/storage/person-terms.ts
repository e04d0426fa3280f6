import { type Identity, type Person, type PersonRecord, toListKey } from '../helpdesk/people/person.ts';

/** Sorts after all people in lists; merged people are stored after it and are in no list. */
export const AFTER_PEOPLE = '~~';

export function toStoredListKey({ person, mergedInto }: PersonRecord): string {
  return mergedInto === undefined ? toListKey(person) : AFTER_PEOPLE + person.id;
}

/** Returns the lower-case texts that a prefix search matches: addresses, and the name from each word on. */
export function personTerms({ addresses, name }: Pick<Person, 'addresses' | 'name'>): readonly string[] {
  const lowerName = name?.toLowerCase() ?? '';
  const fromWordsOn = [...lowerName.matchAll(/\S+/gu)].map(({ index }) => lowerName.slice(index));
  return [...new Set([...addresses, ...fromWordsOn])];
}

/** Returns the keys that are unique to a person: addresses and identities. */
export function personKeys({ person, identities }: PersonRecord): readonly string[] {
  return [...person.addresses.map(toAddressKey), ...identities.map(toIdentityKey)];
}

export function toAddressKey(email: string): string {
  return `mailto:${email}`;
}

export function toIdentityKey({ issuer, subject }: Identity): string {
  return JSON.stringify([issuer, subject]);
}
