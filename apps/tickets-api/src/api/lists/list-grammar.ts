import { z } from 'zod';
import type { Condition } from '../../helpdesk/list/ticket-filter.ts';
import { createCursorCodec } from '../../wire/cursor.ts';
import {
  createParameterReader,
  invalidCursor,
  limitParameter,
  type OpenParameters,
  oneOf,
} from '../http/query-parameters.ts';
import type { ParameterOwner } from '../http/unknown-parameter.ts';
import { createFilters, type Filters, listOf } from './filter-grammar.ts';

/** Options of a list grammar. Create the grammar once per list, because zod compiles a schema on first use. */
export interface ListOptions<Position, Own extends z.ZodRawShape, Shown extends z.ZodRawShape> {
  /** List as error texts name it. */
  owner: ParameterOwner;
  /** Schema of a position, as cursors contain it. */
  position: z.ZodType<Position>;
  /** Parameter `limit`, if it differs from the default. */
  limit?: z.ZodType<number>;
  /** Parameter `sort`; without it the list has a single order. */
  sort?: z.ZodType<string | readonly string[]>;
  /** Selectable fields. */
  fields: readonly string[];
  filters?: Filters;
  /** Whether the members can be counted. */
  hasTotal?: boolean;
  /** Further parameters that select members. */
  filterParameters?: Own;
  /** Further parameters that change how members are shown; a cursor is valid with any of their values. */
  displayParameters?: Shown;
  open?: OpenParameters;
}

/** Parsed query string of a list. */
export interface ListRequest<Position> {
  limit: number;
  /** One sort key or several, as the `sort` parameter of the list defines. */
  sort: string | readonly string[];
  /** Selected fields; `undefined`: all. */
  fields: readonly string[] | undefined;
  hasTotal: boolean;
  conditions: Readonly<Record<string, Condition>>;
  /** Position after which the page begins. */
  after: Position | undefined;
  /** Encodes the cursor of the page after a position. */
  toCursor(position: Position): string;
}

export interface ListGrammar<Position, Own> {
  parametersSchema: z.ZodObject;
  /**
   * Parses a query string. `scope` distinguishes lists that share a grammar, such as the replies of two tickets. `now`
   * is required if the list has filters by time.
   *
   * @throws {AppError} `validation_failed` with all unknown, repeated and invalid parameters at once
   */
  parse(queryString: string, context: { now?: Date; scope?: string }): ListRequest<Position> & { own: Own };
}

const cursorParameter = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe('The `next_cursor` of the previous page; filters and sort must be the same');
const booleanParameter = oneOf(['true', 'false']).default('false');
const noFilters = createFilters({}, {});

/** Creates the grammar of a list: the schema of its parameters, and the parser of its query strings. */
export function createListGrammar<
  Position,
  Own extends z.ZodRawShape = Record<never, never>,
  Shown extends z.ZodRawShape = Record<never, never>,
>({
  owner: of,
  position,
  limit = limitParameter(),
  sort,
  fields,
  filters = noFilters,
  hasTotal = false,
  filterParameters: own,
  displayParameters: shown,
  open,
}: ListOptions<Position, Own, Shown>): ListGrammar<Position, z.output<z.ZodObject<Own & Shown>>> {
  const codec = createCursorCodec(position);
  const parametersSchema = z.object({
    limit,
    cursor: cursorParameter,
    ...(sort && { sort }),
    ...own,
    ...shown,
    fields: fieldsParameter(fields),
    ...(hasTotal && {
      total: booleanParameter.describe('Whether to return the number of members, counted up to 10,000'),
    }),
    ...filters.parameters,
  });
  const readParameters = createParameterReader(parametersSchema, { owner: of, open });
  const shownNames = Object.keys(shown ?? {});
  const ownNames = [...Object.keys(own ?? {}), ...shownNames];

  return {
    parametersSchema,
    parse(queryString, { now, scope = '' }) {
      const parsed: Record<string, unknown> = readParameters(queryString);
      const { limit, cursor, sort = '', fields, total, ...others } = parsed as Parsed;
      const list = [of.operation, scope, sort, omit(others, shownNames)];
      const decoded = cursor === undefined ? undefined : codec.decode(cursor, list);
      if (cursor !== undefined && !decoded) throw invalidCursor();
      const isRelative = filters.isRelative(others);
      const at = decoded?.at ?? now?.toISOString() ?? '';
      return {
        limit,
        sort,
        fields,
        hasTotal: total === 'true',
        conditions: filters.toConditions(omit(others, ownNames), at),
        after: decoded?.position,
        toCursor: (next) => codec.encode({ position: next, ...(isRelative && { at }) }, list),
        own: pick(others, ownNames) as z.output<z.ZodObject<Own & Shown>>,
      };
    },
  };
}

interface Parsed extends Record<string, unknown> {
  limit: number;
  cursor?: string;
  sort?: string | readonly string[];
  fields?: readonly string[];
  total?: string;
}

/** Returns the cursor of the next page; null on the last page. */
export function toNextCursor<Item, Position>(
  { items, hasMore }: { items: readonly Item[]; hasMore: boolean },
  { toCursor }: Pick<ListRequest<Position>, 'toCursor'>,
  toPosition: (item: Item) => Position,
): string | null {
  const last = items.at(-1);
  return hasMore && last !== undefined ? toCursor(toPosition(last)) : null;
}

/** Creates the parameter `fields` for a resource with these fields. */
export function fieldsParameter<Field extends string>(names: readonly Field[]) {
  return listOf(oneOf(names), null)
    .optional()
    .describe('Fields to return, separated by commas; identifying fields are always returned');
}

/** Makes all fields of a schema optional except the identifying ones. */
export function toSelectable<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  ...identity: readonly (keyof Shape & string)[]
): z.ZodObject {
  const required = identity.map((name) => [name, schema.shape[name]]);
  return z.strictObject({ ...schema.partial().shape, ...Object.fromEntries(required) });
}

/** Returns the resource with only the selected and identifying fields. */
export function selectFields<Resource extends object>(
  resource: Resource,
  fields: readonly string[] | undefined,
  ...identity: readonly (keyof Resource & string)[]
): Partial<Resource> {
  return fields ? (pick(resource, [...identity, ...fields]) as Partial<Resource>) : resource;
}

function pick(members: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
}

function omit(members: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
