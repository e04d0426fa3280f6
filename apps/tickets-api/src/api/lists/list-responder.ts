import type { ParameterizedContext } from 'koa';
import type { z } from 'zod';
import { createRenderer, type Renderer } from '../../wire/output/renderer.ts';
import { type Collection, respondWithPage } from '../http/respond.ts';
import { selectFields, toSelectable } from './list-grammar.ts';

export interface ListResponderOptions<Resource extends object> {
  /** Schema of a whole resource as it is sent. */
  schema: z.ZodObject;
  singular: string;
  plural: string;
  /** Field that every member has, whatever is selected. */
  identity: keyof Resource & string;
  /** Renderer of whole resources, shared with other routes for its cache. */
  renderer?: Renderer<Resource>;
}

/** Page of whole resources, and the fields to select from them. */
export type SelectedPage<Resource extends object> = Omit<Collection<Resource>, 'renderer'> & {
  fields: readonly string[] | undefined;
};

export interface ListResponder<Resource extends object> {
  /** Schema of a member, of which some fields may be selected. */
  schema: z.ZodObject;
  /** Responds with a page. Members have entity tags if all fields or `etag` are selected. */
  respond(ctx: ParameterizedContext, baseUrl: string, page: SelectedPage<Resource>): void;
}

/** Creates the responder of a list with sparse fieldsets. */
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
    respond(ctx, baseUrl, { items, fields, toTag, toVersion, ...page }) {
      const hasVersion = toVersion && (!fields || fields.includes('etag'));
      const wholeAt = (i: number) => items[i] as Resource;
      respondWithPage<object>(ctx, baseUrl, {
        ...page,
        items: items.map((item): object => selectFields(item, fields, identity)),
        renderer: fields || !renderer ? selectedRenderer : (renderer as Renderer<object>),
        toTag: (_some, i) => `${toTag(wholeAt(i), i)} ${fields ?? ''}`,
        toVersion: hasVersion ? (_some, i) => toVersion(wholeAt(i), i) : undefined,
      });
    },
  };
}
