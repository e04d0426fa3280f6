import { AppError } from '@keydesk/errors';
import { invalidParameter } from '../../wire/faults/validation-errors.ts';
import type { PersonRecord } from '../people/person.ts';
import type { PersonStore } from '../people/person-store.ts';
import type { Viewer } from '../people/viewer.ts';
import {
  type Condition,
  type FilterField,
  filterFields,
  listConditions,
  type TicketFilter,
} from './ticket-filter.ts';

const operators = ['any', 'all', 'not'] as const;

/**
 * Replaces `me` and addresses in a filter by the ids of the viewer and of the people who have the addresses now. An
 * address without a person stays as it is and matches no id.
 *
 * @throws {AppError} `validation_failed` for `me` if the token belongs to no person
 * @throws {AppError} `forbidden` when a customer names an assignee by address, because customers do not see it
 */
export async function resolvePeople(
  people: Pick<PersonStore, 'findByEmails'>,
  viewer: Viewer,
  filter: TicketFilter,
): Promise<TicketFilter> {
  const fields = listConditions(filter).filter(([name]) => isOfPeople(name));
  const names = fields.flatMap(([, condition]) => operators.flatMap((operator) => condition[operator] ?? []));
  if (!viewer.isStaff && namesAddress(filter.assignee)) throw addressNotVisible();
  const emails = names.filter(isAddress);
  const found = emails.length === 0 ? [] : await people.findByEmails([...new Set(emails)]);
  const known = found.filter((record) => seesAddressOf(viewer, record));
  const ids = new Map(known.flatMap(({ person }) => person.addresses.map((email) => [email, person.id])));
  const resolved = fields.map(([field, condition]) => {
    const toId = (name: string) => (name === 'me' ? getOwnId(viewer, field) : (ids.get(name) ?? name));
    return [field, mapNames(condition, toId)];
  });
  return { ...filter, ...Object.fromEntries(resolved) };
}

/** Whether the viewer sees the address. Guessing an address of staff has the same result as an unused address. */
function seesAddressOf(viewer: Viewer, { person, hasBeenStaff }: PersonRecord): boolean {
  return viewer.isStaff || !hasBeenStaff || person.id === viewer.person?.id;
}

function isOfPeople(name: string): boolean {
  const fields: Readonly<Record<string, FilterField>> = filterFields;
  return fields[name]?.kind === 'person';
}

function isAddress(name: string): boolean {
  return name.includes('@');
}

function namesAddress(condition: Condition = {}): boolean {
  return operators.some((operator) => condition[operator]?.some(isAddress));
}

function mapNames(condition: Condition, toId: (name: string) => string): Condition {
  const mapped = operators.flatMap((operator) => {
    const names = condition[operator];
    return names ? [[operator, [...new Set(names.map(toId))]]] : [];
  });
  return { ...condition, ...Object.fromEntries(mapped) };
}

function getOwnId({ person }: Viewer, field: string): string {
  if (person) return person.id;
  throw invalidParameter(
    field,
    'must not be me, because the token belongs to no person; send an address or an id',
  );
}

function addressNotVisible(): AppError {
  const errors = [{ field: 'assignee', code: 'forbidden', message: 'must be an id or me' }];
  return new AppError('forbidden', 'Customers do not see the addresses of agents; filter by their id.', {
    errors,
  });
}
