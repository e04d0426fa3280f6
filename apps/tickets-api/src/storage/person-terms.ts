import { type Identity, type Person, type PersonRecord, toPlace } from '../helpdesk/people/person.ts';

/** Behind the places of all people; those who were merged into others lie behind it, and are in no list. */
export const AFTER_PEOPLE = '~~';

export function toStoredPlace({ person, mergedInto }: PersonRecord): string {
  return mergedInto === undefined ? toPlace(person) : AFTER_PEOPLE + person.id;
}

/** What a person is found by the beginning of, in lower case: each e-mail address, and the name from each word on. */
export function personTerms({ addresses, name }: Pick<Person, 'addresses' | 'name'>): readonly string[] {
  const lowerName = name?.toLowerCase() ?? '';
  const fromWordsOn = [...lowerName.matchAll(/\S+/gu)].map(({ index }) => lowerName.slice(index));
  return [...new Set([...addresses, ...fromWordsOn])];
}

/** What belongs to one person at most: their addresses and identities, each as one text. */
export function personKeys({ person, identities }: PersonRecord): readonly string[] {
  return [...person.addresses.map(toAddressKey), ...identities.map(toIdentityKey)];
}

export function toAddressKey(email: string): string {
  return `mailto:${email}`;
}

export function toIdentityKey({ issuer, subject }: Identity): string {
  return JSON.stringify([issuer, subject]);
}
