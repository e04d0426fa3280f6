import { AppError } from '@keydesk/errors';

/** Formats of resources. */
export const formats = ['json', 'xml'] as const;
export type Format = (typeof formats)[number];

export const contentTypes = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const satisfies Record<Format, string>;

/** Media types of problem documents (RFC 9457 §6). */
export const problemTypes = {
  json: 'application/problem+json',
  xml: 'application/problem+xml',
} as const satisfies Record<Format, string>;

export interface Representation {
  format: Format;
  /** Path without the format suffix. */
  path: string;
}

/** Part of a Koa context: method, path and content negotiation (RFC 9110 §12.5.1). */
export interface FormatRequest {
  method: string;
  path: string;
  accepts(...types: string[]): string | false;
}

/** Whether `Accept` decides the format, so that the response varies by it, errors included (RFC 9110 §12.5.5). */
export function isNegotiated({ path }: Pick<FormatRequest, 'path'>): boolean {
  return dotOfSuffix(path) === undefined;
}

/**
 * Chooses the format of the response by the suffix of the path, or without one by `Accept`; the default is JSON.
 * `OPTIONS` has no representation, so it is never rejected by `Accept`.
 *
 * @throws {AppError} `not_found` for an unknown suffix; `not_acceptable` when `Accept` allows neither format
 */
export function chooseFormat(request: FormatRequest): Representation {
  const dot = dotOfSuffix(request.path);
  if (dot === undefined) return { format: negotiate(request), path: request.path };
  const suffix = request.path.slice(dot + 1);
  const format = formats.find((each) => each === suffix);
  if (!format) throw new AppError('not_found', `Unsupported format ".${suffix}"; use .json or .xml.`);
  return { format, path: request.path.slice(0, dot) };
}

/** Returns the index of the last dot in the last segment of a path. */
function dotOfSuffix(path: string): number | undefined {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') ? dot : undefined;
}

/** Media types for negotiation. Charset is the only parameter that clients request, and it is always UTF-8. */
const offered = ['application/json', 'application/xml', 'text/xml'].flatMap((type) => [
  type,
  `${type}; charset=utf-8`,
]);

function negotiate(request: FormatRequest): Format {
  const type = request.accepts(...offered);
  if (type) return type.startsWith('application/json') ? 'json' : 'xml';
  if (request.method === 'OPTIONS') return 'json';
  throw new AppError('not_acceptable', 'Not acceptable; supported types: application/json, application/xml.');
}
