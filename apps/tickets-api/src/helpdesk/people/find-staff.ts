import type { PersonStore } from './person-store.ts';

/** Returns the ids of the people who are or were staff. Customers see the names of staff, not their addresses. */
export async function findStaff(
  people: Pick<PersonStore, 'findAll'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const found = await people.findAll([...new Set(ids)]);
  return new Set(found.filter(({ hasBeenStaff }) => hasBeenStaff).map(({ person }) => person.id));
}
