import { z } from 'zod';
import { personSchema, type Role, roles } from '../../helpdesk/people/person.ts';
import {
  type PeoplePosition,
  type PeopleQuery,
  type PersonSort,
  personSortFields,
} from '../../helpdesk/people/person-order.ts';
import { invalidParameter } from '../../wire/faults/validation-errors.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { invalidCursor, oneOf } from '../http/query-parameters.ts';
import { listOf } from '../lists/filter-grammar.ts';
import { createListGrammar, type ListRequest } from '../lists/list-grammar.ts';
import { describeSort, toSort, toSortKeys } from '../lists/sort.ts';

const MAX_SORT_KEYS = 2;
const sortKeys = toSortKeys([...personSortFields, 'role']);
type SortKey = (typeof sortKeys)[number];

/** Query string of `GET /people`. */
export const peopleGrammar = createListGrammar({
  owner: { list: 'people', operation: 'listPeople' },
  position: z.strictObject({
    value: z.string().min(1),
    id: z.uuid(),
    role: z.enum(roles).nullable().optional(),
  }) as z.ZodType<PeoplePosition>,
  sort: listOf(oneOf(sortKeys), MAX_SORT_KEYS)
    .default(['email'])
    .describe(
      describeSort(
        'ties are broken by id; people without an address or a name come last in ascending order; `name` compares the first 50 characters, with A to Z in lower case; `role` sorts customers, agents, administrators, then people who never signed in, and takes a second key, as in `-role,name` (default: `email` in the same direction); with `q` only `email` and `-email`',
      ),
    ),
  fields: Object.keys(withEtag(personSchema).shape),
  hasTotal: true,
  filterParameters: {
    q: z
      .string()
      .trim()
      .min(1, 'must not be blank')
      .max(254)
      .meta({ pattern: '\\S' })
      .transform((text) => text.toLowerCase())
      .optional()
      .describe('Prefix of an e-mail address, the name or a later word of the name'),
    role: listOf(oneOf(roles)).optional().describe('Roles at the latest sign-in, separated by commas'),
  },
});

/** Returns the query that a request asks for. @throws {AppError} `validation_failed` for an unsupported order */
export function toPeopleQuery({
  limit,
  sort,
  after,
  own,
}: ListRequest<PeoplePosition> & {
  own: { q?: string | undefined; role?: readonly Role[] | undefined };
}): PeopleQuery {
  const order = toOrder(sort as readonly SortKey[]);
  if (own.q !== undefined && (order.byRole || order.sort.field !== 'email')) {
    throw invalidParameter('sort', 'must be email or -email with q');
  }
  if (after && !isPositionIn({ ...order, roles: own.role }, after)) throw invalidCursor();
  return { limit, after, prefix: own.q, roles: own.role, ...order };
}

/** Whether a position is valid in the list, because clients may forge cursors. */
function isPositionIn(
  { byRole, roles: wanted }: Pick<PeopleQuery, 'byRole' | 'roles'>,
  { role }: PeoplePosition,
): boolean {
  if (!byRole || role === undefined) return !byRole && role === undefined;
  return !wanted || (role !== null && wanted.includes(role));
}

/** Parses one or two sort keys. Only `role` takes a second one, because many people share a role. */
function toOrder([key, second]: readonly SortKey[]): Pick<PeopleQuery, 'byRole' | 'sort'> {
  const { field, direction } = toSort(key as SortKey);
  const next = second && toSort(second);
  if (next && (field !== 'role' || next.field === 'role')) {
    throw invalidParameter('sort', 'must have a second key only after role, and of another field');
  }
  if (field !== 'role') return { sort: { field, direction } };
  return { byRole: direction, sort: (next as PersonSort | undefined) ?? { field: 'email', direction } };
}
