import type { ParameterizedContext } from 'koa';
import { z } from 'zod';
import type { Renderer } from '../../wire/output/renderer.ts';
import { limitParameter } from '../http/query-parameters.ts';
import type { Collection } from '../http/respond.ts';
import type { ParameterOwner } from '../http/unknown-parameter.ts';
import { createListGrammar, toNextCursor } from './list-grammar.ts';
import { createListResponder } from './list-responder.ts';
import { sortParameter, toSort } from './sort.ts';

/** List that is short enough to be sent as one page, unless the client sets `limit`. */
export interface WholeListOptions<Resource extends object> {
  owner: ParameterOwner;
  /** Schema of a whole resource as it is sent. */
  schema: z.ZodObject;
  singular: string;
  plural: string;
  /** Field that every member has, whatever is selected. */
  identity: keyof Resource & string;
  /** Renderer of whole resources, shared with other routes for its cache. */
  renderer: Renderer<Resource>;
  /** Maximum number of members. */
  max: number;
  /** Default sort field. */
  sortField: keyof Resource & string;
  /** Unique field; it breaks ties and is the second sort key. */
  uniqueField: keyof Resource & string;
  /** Returns the sort value of a member, if it differs from the value of the field. */
  toOrder?: (item: Resource, field: keyof Resource & string) => Value;
}

export interface WholeList<Resource extends object> {
  parametersSchema: z.ZodObject;
  /** Schema of a member, of which some fields may be selected. */
  schema: z.ZodObject;
  /** Responds with the requested page of all members. @throws {AppError} `validation_failed` */
  respond(
    ctx: ParameterizedContext,
    baseUrl: string,
    all: readonly Resource[],
    tags: Pick<Collection<Resource>, 'toTag' | 'toVersion'>,
  ): void;
}

type Value = string | number;
const positionSchema = z.strictObject({ value: z.union([z.string(), z.number()]), unique: z.string() });
type Position = z.output<typeof positionSchema>;

export function createWholeList<Resource extends object>({
  owner: of,
  max,
  sortField,
  uniqueField,
  toOrder = (item, field) => item[field] as Value,
  ...options
}: WholeListOptions<Resource>): WholeList<Resource> {
  const responder = createListResponder<Resource>(options);
  const grammar = createListGrammar({
    owner: of,
    position: positionSchema,
    limit: limitParameter(max, max),
    sort: sortParameter(
      [...new Set([sortField, uniqueField])],
      sortField,
      `ties are broken by \`${uniqueField}\``,
    ),
    fields: Object.keys(options.schema.shape),
    hasTotal: true,
  });
  return {
    parametersSchema: grammar.parametersSchema,
    schema: responder.schema,
    respond(ctx, baseUrl, all, tags) {
      const request = grammar.parse(ctx.querystring, {});
      const { field, direction } = toSort(request.sort as keyof Resource & string);
      const toPosition = (item: Resource): Position => ({
        value: toOrder(item, field),
        unique: String(item[uniqueField]),
      });
      const sign = direction === 'asc' ? 1 : -1;
      const found = all
        .map((item) => ({ item, position: toPosition(item) }))
        .filter(({ position }) => !request.after || sign * compare(position, request.after) > 0)
        .toSorted((one, other) => sign * compare(one.position, other.position))
        .map(({ item }) => item);
      const page = { items: found.slice(0, request.limit), hasMore: found.length > request.limit };
      responder.respond(ctx, baseUrl, {
        ...tags,
        items: page.items,
        fields: request.fields,
        nextCursor: toNextCursor(page, request, toPosition),
        total: request.hasTotal ? { total: all.length, isExact: true } : undefined,
      });
    },
  };
}

function compare(one: Position, other: Position): number {
  return compareValues(one.value, other.value) || compareValues(one.unique, other.unique);
}

function compareValues(one: Value, other: Value): number {
  return Number(one > other) - Number(one < other);
}
