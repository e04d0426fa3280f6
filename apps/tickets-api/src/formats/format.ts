import { AppError } from '@keydesk/http';

/** The representations of a resource. */
export const formats = ['json', 'xml'] as const;
export type Format = (typeof formats)[number];

export const contentTypes = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const satisfies Record<Format, string>;

/** The media types of problem documents (RFC 9457 §6). */
export const problemTypes = {
  json: 'application/problem+json',
  xml: 'application/problem+xml',
} as const satisfies Record<Format, string>;

export interface Representation {
  format: Format;
  /** The path without its format suffix. */
  path: string;
}

/** What is needed of a Koa context: its method and path, and its content negotiation (RFC 9110 §12.5.1). */
export interface FormatRequest {
  method: string;
  path: string;
  accepts(...types: string[]): string | false;
}

/** Whether the `Accept` header decides, so that the answer varies by it, be it a refusal (RFC 9110 §12.5.5). */
export function isNegotiated({ path }: Pick<FormatRequest, 'path'>): boolean {
  return dotOfSuffix(path) === undefined;
}

/**
 * Chooses the representation of the response: the suffix of the path decides, without one the `Accept` header,
 * JSON if it leaves the choice. The methods of a path are no representation: whoever asks for them is never refused.
 *
 * @throws {AppError} `not_found` for an unknown suffix; `not_acceptable` when `Accept` admits neither format
 */
export function chooseFormat(request: FormatRequest): Representation {
  const dot = dotOfSuffix(request.path);
  if (dot === undefined) return { format: negotiate(request), path: request.path };
  const suffix = request.path.slice(dot + 1);
  const format = formats.find((known) => known === suffix);
  if (!format) throw new AppError('not_found', `There is no format .${suffix}; there are .json and .xml.`);
  return { format, path: request.path.slice(0, dot) };
}

/** Where the last segment of a path has its last dot. */
function dotOfSuffix(path: string): number | undefined {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') ? dot : undefined;
}

/** What answers are of. The charset is the only parameter that clients ask for, and it is always this one. */
const offered = ['application/json', 'application/xml', 'text/xml'].flatMap((type) => [
  type,
  `${type}; charset=utf-8`,
]);

function negotiate(request: FormatRequest): Format {
  const type = request.accepts(...offered);
  if (type) return type.startsWith('application/json') ? 'json' : 'xml';
  if (request.method === 'OPTIONS') return 'json';
  throw new AppError('not_acceptable', 'There are application/json and application/xml.');
}
