import { invalidParameter } from '../http/query-parameters.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { Viewer } from '../people/viewer.ts';
import {
  type Condition,
  conditionsOf,
  type FilterField,
  filterFields,
  type TicketFilter,
} from './ticket-filter.ts';

const operators = ['any', 'all', 'not'] as const;

/**
 * The filter with everybody in it named by e-mail address: `me` by that of the viewer, ids by those of the people. An id
 * that is nobody's stays as it is, and is nobody's address either.
 *
 * @throws {AppError} `validation_failed` when `me` is nobody
 */
export async function nameByEmail(
  people: Pick<PersonStore, 'findAll'>,
  viewer: Viewer,
  filter: TicketFilter,
): Promise<TicketFilter> {
  const fields = conditionsOf(filter).filter(([name]) => isOfPeople(name));
  const names = fields.flatMap(([, condition]) => operators.flatMap((operator) => condition[operator] ?? []));
  const ids = names.filter((name) => name !== 'me' && !name.includes('@'));
  const found = ids.length === 0 ? [] : await people.findAll([...new Set(ids)]);
  const emails = new Map(found.map(({ id, email }) => [id, email]));
  const named = fields.map(([field, condition]) => {
    const toEmail = (name: string) => (name === 'me' ? getEmail(viewer, field) : (emails.get(name) ?? name));
    return [field, mapNames(condition, toEmail)];
  });
  return { ...filter, ...Object.fromEntries(named) };
}

function isOfPeople(name: string): boolean {
  const fields: Readonly<Record<string, FilterField>> = filterFields;
  return fields[name]?.kind === 'person';
}

function mapNames(condition: Condition, toEmail: (name: string) => string): Condition {
  const mapped = operators.flatMap((operator) => {
    const names = condition[operator];
    return names ? [[operator, [...new Set(names.map(toEmail))]]] : [];
  });
  return { ...condition, ...Object.fromEntries(mapped) };
}

function getEmail({ email }: Viewer, field: string): string {
  if (email !== undefined) return email;
  throw invalidParameter(field, 'names me, but the token is of nobody with a verified e-mail address');
}
