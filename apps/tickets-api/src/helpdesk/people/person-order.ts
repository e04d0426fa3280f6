import { type Person, type Role, roles, toListKey } from './person.ts';

/** Fields by which an index sorts people. */
export const personSortFields = ['email', 'name', 'created_at', 'updated_at'] as const;
export type PersonSortField = (typeof personSortFields)[number];

export interface PersonSort {
  field: PersonSortField;
  direction: 'asc' | 'desc';
}

/** Roles in the order of the sort key `role`; null: no sign-in yet. */
export const roleOrder: readonly (Role | null)[] = [...roles, null];

export const byEmail: PersonSort = { field: 'email', direction: 'asc' };

/** Position in a list of people: the sort value and id of a person. */
export interface PersonPosition {
  value: string;
  id: string;
}

/** Query of a page of people. */
export interface PeopleQuery {
  /** Prefix in lower case of an e-mail address, the name or a later word of the name. */
  prefix?: string | undefined;
  roles?: readonly Role[] | undefined;
  /** Direction of the roles by which the list is divided; absent if it is not divided. */
  byRole?: 'asc' | 'desc' | undefined;
  /** Order of people; within one role if the list is divided. */
  sort: PersonSort;
  after?: PeoplePosition | undefined;
  limit: number;
}

/** Position in a list of people. */
export interface PeoplePosition extends PersonPosition {
  /** Present if the list is divided by role. */
  role?: Role | null | undefined;
}

/** Returns the position of a person in a list in this order. */
export function toPersonPosition(person: Person, { field }: PersonSort): PersonPosition {
  return { value: toSortValue(person, field), id: person.id };
}

function toSortValue(person: Person, field: PersonSortField): string {
  if (field === 'email') return toListKey(person);
  return field === 'name' ? toNameKey(person.name) : person[field];
}

/** Sort key of people without a name; it is greater than all other texts. */
const NO_NAME = '\u{10FFFF}';
/** Maximum number of characters of a name in a cursor. */
const NAME_KEY_LENGTH = 50;

/**
 * Returns the text by which names are sorted: the first characters, with the letters A to Z in lower case. SQLite
 * computes the same in a generated column.
 */
export function toNameKey(name: string | null): string {
  const lower = name?.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return lower === undefined ? NO_NAME : Array.from(lower).slice(0, NAME_KEY_LENGTH).join('');
}
