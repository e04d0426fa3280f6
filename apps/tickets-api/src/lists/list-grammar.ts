import { z } from 'zod';
import {
  createParameterReader,
  invalidCursor,
  limitParameter,
  type OpenParameters,
  oneOf,
} from '../http/query-parameters.ts';
import type { ParameterOwner } from '../http/unknown-parameter.ts';
import type { Condition } from '../tickets/ticket-filter.ts';
import { createCursorCodec } from './cursor.ts';
import { createFilters, type Filters, listOf } from './filter-grammar.ts';

/** One list: what its query string may have. Made once a list, because zod compiles a schema at its first use. */
export interface ListOptions<Place, Own extends z.ZodRawShape, Shown extends z.ZodRawShape> {
  /** The list as error texts name it. */
  of: ParameterOwner;
  /** A place in the list, as its cursors hold it. */
  place: z.ZodType<Place>;
  /** The parameter `limit`, where it is not the usual one. */
  limit?: z.ZodType<number>;
  /** The parameter `sort`; without it the list has one order. */
  sort?: z.ZodType<string | readonly string[]>;
  /** Names of the fields that can be selected. */
  fields: readonly string[];
  filters?: Filters;
  /** Whether the members can be counted. */
  hasTotal?: boolean;
  /** Parameters of this list alone that decide on its members. */
  own?: Own;
  /** Parameters of this list alone that decide how its members are shown. A cursor goes with any of them. */
  shown?: Shown;
  open?: OpenParameters;
}

/** A parsed query string of a list. */
export interface ListRequest<Place> {
  limit: number;
  /** A key, or keys, as the parameter of the list has them. */
  sort: string | readonly string[];
  /** `undefined`: all. */
  fields: readonly string[] | undefined;
  hasTotal: boolean;
  conditions: Readonly<Record<string, Condition>>;
  /** The page begins just behind this place. */
  after: Place | undefined;
  /** The cursor of the page behind this place. */
  toCursor(place: Place): string;
}

export interface ListGrammar<Place, Own> {
  parametersSchema: z.ZodObject;
  /**
   * Reads a query string. `scope` tells lists of one grammar apart, such as those of two tickets; `now`
   * is needed where there are filters by time.
   *
   * @throws {AppError} `validation_failed`, naming every unknown, repeated or faulty parameter at once
   */
  parse(queryString: string, context: { now?: Date; scope?: string }): ListRequest<Place> & { own: Own };
}

const cursorParameter = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe('The `next_cursor` of the page before, with the same filters and sort');
const truth = oneOf(['true', 'false']).default('false');
const noFilters = createFilters({}, {});

/** The parameters that every list has, as far as it has them, and how they are read. */
export function createListGrammar<
  Place,
  Own extends z.ZodRawShape = Record<never, never>,
  Shown extends z.ZodRawShape = Record<never, never>,
>({
  of,
  place,
  limit = limitParameter(),
  sort,
  fields,
  filters = noFilters,
  hasTotal = false,
  own,
  shown,
  open,
}: ListOptions<Place, Own, Shown>): ListGrammar<Place, z.output<z.ZodObject<Own & Shown>>> {
  const codec = createCursorCodec(place);
  const parametersSchema = z.object({
    limit,
    cursor: cursorParameter,
    ...(sort && { sort }),
    ...own,
    ...shown,
    fields: fieldsParameter(fields),
    ...(hasTotal && { total: truth.describe('Whether to count the members of the list, up to 10,000') }),
    ...filters.parameters,
  });
  const readParameters = createParameterReader(parametersSchema, { of, open });
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
        after: decoded?.place,
        toCursor: (next) => codec.encode({ place: next, ...(isRelative && { at }) }, list),
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

/** The cursor of the page behind these items; null when there is none. */
export function toNextCursor<Item, Place>(
  { items, hasMore }: { items: readonly Item[]; hasMore: boolean },
  { toCursor }: Pick<ListRequest<Place>, 'toCursor'>,
  toPlace: (item: Item) => Place,
): string | null {
  const last = items.at(-1);
  return hasMore && last !== undefined ? toCursor(toPlace(last)) : null;
}

/** The parameter `fields` of a resource with these fields. */
export function fieldsParameter<Field extends string>(names: readonly Field[]) {
  return listOf(oneOf(names), null)
    .optional()
    .describe('Only these fields, and what identifies the resource, separated by commas');
}

/** A resource of which some fields may be selected; those that identify it are always there. */
export function toSelectable<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  ...identity: readonly (keyof Shape & string)[]
): z.ZodObject {
  const kept = identity.map((name) => [name, schema.shape[name]]);
  return z.strictObject({ ...schema.partial().shape, ...Object.fromEntries(kept) });
}

/** The resource with nothing but these fields and those that identify it. */
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
