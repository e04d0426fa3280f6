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
      const whole = new Map<object, Resource>();
      const selected = items.map((item) => {
        const some: object = selectFields(item, fields, identity);
        whole.set(some, item);
        return some;
      });
      const toWhole = (some: object) => whole.get(some) as Resource;
      const hasVersion = toVersion && (!fields || fields.includes('etag'));
      respondWithPage<object>(ctx, baseUrl, {
        ...beside,
        items: selected,
        renderer: fields || !renderer ? selectedRenderer : (renderer as Renderer<object>),
        toTag: (some) => `${toTag(toWhole(some))} ${fields ?? ''}`,
        toVersion: hasVersion ? (some) => toVersion(toWhole(some)) : undefined,
      });
    },
  };
}
