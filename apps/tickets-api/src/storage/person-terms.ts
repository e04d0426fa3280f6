import type { Person } from '../people/person.ts';

/** What a person is found by the beginning of, in lower case: the e-mail address, and the name from each word on. */
export function personTerms({ email, name }: Pick<Person, 'email' | 'name'>): readonly string[] {
  const lowerName = name?.toLowerCase() ?? '';
  const fromWordsOn = [...lowerName.matchAll(/\S+/gu)].map(({ index }) => lowerName.slice(index));
  return [...new Set([email, ...fromWordsOn])];
}
