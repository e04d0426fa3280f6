import type { ParameterizedContext } from 'koa';
import type { z } from 'zod';
import { createRenderer, type Renderer } from '../formats/renderer.ts';
import { type Collection, respondWithPage } from '../http/respond.ts';
import { selectFields, toSelectable } from './list-grammar.ts';

export interface ListResponderOptions<Resource extends object> {
  /** The resource as it is sent. */
  schema: z.ZodObject;
  singular: string;
  plural: string;
  /** The field that every member of the list has, whatever is selected. */
  identity: keyof Resource & string;
  /** Renders whole resources, which it remembers for other routes. */
  renderer?: Renderer<Resource>;
}

/** A page of a list, whole, and the fields of it that were selected. */
export type SelectedPage<Resource extends object> = Omit<Collection<Resource>, 'renderer'> & {
  fields: readonly string[] | undefined;
};

export interface ListResponder<Resource extends object> {
  /** A member of the list, of which some fields may be selected. */
  schema: z.ZodObject;
  /** Answers with a page; entity tags of the members are sent where nothing or `etag` is selected. */
  respond(ctx: ParameterizedContext, baseUrl: string, page: SelectedPage<Resource>): void;
}

/** Makes the answers of a list of whose members fields can be selected. */
export function createListResponder<Resource extends object>({
  schema,
  singular,
  plural,
  identity,
  renderer,
}: ListResponderOptions<Resource>): ListResponder<Resource> {
  const selectable = toSelectable(schema, identity);
  const selectedRenderer: Renderer<object> = createRenderer({ schema: selectable, singular, plural });
  return {
    schema: selectable,
    respond(ctx, baseUrl, { items, fields, toTag, toVersion, ...beside }) {
      const hasVersion = toVersion && (!fields || fields.includes('etag'));
      const wholeAt = (i: number) => items[i] as Resource;
      respondWithPage<object>(ctx, baseUrl, {
        ...beside,
        items: items.map((item): object => selectFields(item, fields, identity)),
        renderer: fields || !renderer ? selectedRenderer : (renderer as Renderer<object>),
        toTag: (_some, i) => `${toTag(wholeAt(i), i)} ${fields ?? ''}`,
        toVersion: hasVersion ? (_some, i) => toVersion(wholeAt(i), i) : undefined,
      });
    },
  };
}
