import { hash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import { contentTypes, type Format } from '../formats/format.ts';
import type { Page, Renderer } from '../formats/renderer.ts';
import { entityTag, findKnownTag } from './conditional-requests.ts';

/** One page of a collection. */
export interface Collection<Resource extends object> extends Page<Resource> {
  renderer: Renderer<Resource>;
  /** What names a resource and its version, within the collection. */
  toTag: (resource: Resource, i: number) => string;
  /** The version in the entity tag of one resource; `undefined` where they have none, or it is not wanted. */
  toVersion?: ((resource: Resource, i: number) => string) | undefined;
}

/** Answers with a representation and its entity tag, or with 304. */
export function respond(
  ctx: ParameterizedContext,
  version: string,
  render: (format: Format, etag: string) => Buffer,
): void {
  const { format } = ctx.state as { format: Format };
  const etag = entityTag(ctx, version);
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  const knownTag = isRead ? findKnownTag(ctx, etag) : undefined;
  ctx.set({ ETag: knownTag ?? etag, 'Cache-Control': 'private, no-cache' });
  if (knownTag !== undefined) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', contentTypes[format]);
  ctx.body = render(format, etag);
}

/** Sets the headers of a change: that it changed nothing, or that an earlier request made it. */
export function tellChange(
  ctx: ParameterizedContext,
  { hasChanged, isReplayed }: { hasChanged: boolean; isReplayed: boolean },
): void {
  if (!hasChanged) ctx.set('Keydesk-Changed', 'false');
  if (isReplayed) ctx.set('Idempotency-Replayed', 'true');
}

/** Answers with a page, a `Link` to the next one (RFC 8288) and an entity tag over all of it. */
export function respondWithPage<Resource extends object>(
  ctx: ParameterizedContext,
  baseUrl: string,
  { renderer, toTag, toVersion, ...page }: Collection<Resource>,
): void {
  const { items, nextCursor, total, included } = page;
  if (nextCursor !== null) ctx.append('Link', `<${toPageUrl(ctx, baseUrl, nextCursor)}>; rel="next"`);
  const tags = items.map(toTag).join();
  const beside = total || included ? JSON.stringify([total, included]) : '';
  respond(ctx, hash('sha1', `${nextCursor}${tags}${beside}`, 'base64url'), (format) =>
    renderer.many(format, {
      ...page,
      etags: toVersion && items.map((item, i) => entityTag(ctx, toVersion(item, i))),
    }),
  );
}

/** The version of a resource that counts none. */
export function digest(resource: object): string {
  return hash('sha1', JSON.stringify(resource), 'base64url');
}

function toPageUrl(ctx: ParameterizedContext, baseUrl: string, cursor: string): string {
  const parameters = new URLSearchParams(ctx.querystring);
  parameters.set('cursor', cursor);
  return `${baseUrl}${ctx.path}?${parameters}`;
}
