import { hash } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import { contentTypes, type Format } from '../../wire/output/format.ts';
import type { Page, Renderer } from '../../wire/output/renderer.ts';
import { entityTag, findCachedTag } from './conditional-requests.ts';

/** Size up to which text is faster to send than bytes, which Node.js passes on without encoding. */
const MAX_TEXT_BYTES = 4_096;

/** Page of a collection, with the renderer and entity tags of its members. */
export interface Collection<Resource extends object> extends Page<Resource> {
  renderer: Renderer<Resource>;
  /** Returns text that identifies a resource and its version within the collection. */
  toTag: (resource: Resource, i: number) => string;
  /** Returns the version for the entity tag of one member; `undefined` if members have no tags or none are requested. */
  toVersion?: ((resource: Resource, i: number) => string) | undefined;
}

/** Responds with a representation and its entity tag, or with 304. */
export function respond(
  ctx: ParameterizedContext,
  version: string,
  render: (format: Format, etag: string) => Buffer,
): void {
  const { format } = ctx.state as { format: Format };
  const etag = entityTag(ctx, version);
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  const cachedTag = isRead ? findCachedTag(ctx, etag) : undefined;
  ctx.set({ ETag: cachedTag ?? etag, 'Cache-Control': 'private, no-cache' });
  if (cachedTag !== undefined) {
    ctx.status = 304;
    return;
  }
  ctx.set('Content-Type', contentTypes[format]);
  ctx.body = toBody(render(format, etag));
}

/** Returns a small body as text, which Node.js sends with the header in one piece: 10 % of a read (decision 23). */
function toBody(bytes: Buffer): Buffer | string {
  return bytes.length <= MAX_TEXT_BYTES ? bytes.toString() : bytes;
}

/** Sets the headers that report a no-op and a replayed answer. */
export function setChangeHeaders(
  ctx: ParameterizedContext,
  { hasChanged, isReplayed }: { hasChanged: boolean; isReplayed: boolean },
): void {
  if (!hasChanged) ctx.set('Keydesk-Changed', 'false');
  if (isReplayed) ctx.set('Idempotency-Replayed', 'true');
}

/** Responds with a page, a `Link` to the next one (RFC 8288) and an entity tag of the whole page. */
export function respondWithPage<Resource extends object>(
  ctx: ParameterizedContext,
  baseUrl: string,
  { renderer, toTag, toVersion, ...page }: Collection<Resource>,
): void {
  const { items, nextCursor, total, included } = page;
  if (nextCursor !== null) ctx.append('Link', `<${toPageUrl(ctx, baseUrl, nextCursor)}>; rel="next"`);
  const tags = items.map(toTag).join();
  const extras = total || included ? JSON.stringify([total, included]) : '';
  respond(ctx, hash('sha1', `${nextCursor}${tags}${extras}`, 'base64url'), (format) =>
    renderer.many(format, {
      ...page,
      etags: toVersion && items.map((item, i) => entityTag(ctx, toVersion(item, i))),
    }),
  );
}

/** Computes a version for a resource that has no version number. */
export function digest(resource: object): string {
  return hash('sha1', JSON.stringify(resource), 'base64url');
}

function toPageUrl(ctx: ParameterizedContext, baseUrl: string, cursor: string): string {
  const parameters = new URLSearchParams(ctx.querystring);
  parameters.set('cursor', cursor);
  return `${baseUrl}${ctx.path}?${parameters}`;
}
