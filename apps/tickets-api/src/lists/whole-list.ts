import type { ParameterizedContext } from 'koa';
import { z } from 'zod';
import type { Renderer } from '../formats/renderer.ts';
import { limitParameter } from '../http/query-parameters.ts';
import type { Collection } from '../http/respond.ts';
import type { ParameterOwner } from '../http/unknown-parameter.ts';
import { createListGrammar, toNextCursor } from './list-grammar.ts';
import { createListResponder } from './list-responder.ts';
import { sortParameter, toSort } from './sort.ts';

/** A list short enough to be read whole. It comes on one page unless `limit` asks for several. */
export interface WholeListOptions<Resource extends object> {
  of: ParameterOwner;
  /** The resource as it is sent. */
  schema: z.ZodObject;
  singular: string;
  plural: string;
  /** The field that every member has, whatever is selected. */
  identity: keyof Resource & string;
  /** Renders whole resources, which it remembers for other routes. */
  renderer: Renderer<Resource>;
  /** The most members that there may be. */
  max: number;
  /** The field that the list is sorted by without `sort`. */
  sortField: keyof Resource & string;
  /** A field that is another one for every member; it breaks ties, and the list can be sorted by it. */
  uniqueField: keyof Resource & string;
  /** The value that a member is sorted by, where it is not that of the field. */
  toOrder?: (item: Resource, field: keyof Resource & string) => Value;
}

export interface WholeList<Resource extends object> {
  parametersSchema: z.ZodObject;
  /** A member of the list, of which some fields may be selected. */
  schema: z.ZodObject;
  /** Answers with the page of all members that a request asks for. @throws {AppError} `validation_failed` */
  respond(
    ctx: ParameterizedContext,
    baseUrl: string,
    all: readonly Resource[],
    tags: Pick<Collection<Resource>, 'toTag' | 'toVersion'>,
  ): void;
}

type Value = string | number;
const placeSchema = z.strictObject({ value: z.union([z.string(), z.number()]), unique: z.string() });
type Place = z.output<typeof placeSchema>;

export function createWholeList<Resource extends object>({
  of,
  max,
  sortField,
  uniqueField,
  toOrder = (item, field) => item[field] as Value,
  ...options
}: WholeListOptions<Resource>): WholeList<Resource> {
  const responder = createListResponder<Resource>(options);
  const grammar = createListGrammar({
    of,
    place: placeSchema,
    limit: limitParameter(max, max),
    sort: sortParameter([sortField, uniqueField], sortField, `ties are broken by \`${uniqueField}\``),
    fields: Object.keys(options.schema.shape),
    hasTotal: true,
  });
  return {
    parametersSchema: grammar.parametersSchema,
    schema: responder.schema,
    respond(ctx, baseUrl, all, tags) {
      const request = grammar.parse(ctx.querystring, {});
      const { field, direction } = toSort(request.sort as keyof Resource & string);
      const toPlace = (item: Resource): Place => ({
        value: toOrder(item, field),
        unique: String(item[uniqueField]),
      });
      const sign = direction === 'asc' ? 1 : -1;
      const found = all
        .map((item) => ({ item, place: toPlace(item) }))
        .filter(({ place }) => !request.after || sign * compare(place, request.after) > 0)
        .toSorted((one, other) => sign * compare(one.place, other.place))
        .map(({ item }) => item);
      const page = { items: found.slice(0, request.limit), hasMore: found.length > request.limit };
      responder.respond(ctx, baseUrl, {
        ...tags,
        items: page.items,
        fields: request.fields,
        nextCursor: toNextCursor(page, request, toPlace),
        total: request.hasTotal ? { total: all.length, isExact: true } : undefined,
      });
    },
  };
}

function compare(one: Place, other: Place): number {
  return compareValues(one.value, other.value) || compareValues(one.unique, other.unique);
}

function compareValues(one: Value, other: Value): number {
  return Number(one > other) - Number(one < other);
}
