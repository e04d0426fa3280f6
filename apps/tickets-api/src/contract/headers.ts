import type { HeaderObject, Reference } from './openapi/document.ts';

const text = { type: 'string' } as const;

/** Documented response headers. Those of HTTP itself, CORS and security are not listed. */
export const headers = {
  'X-Request-Id': {
    description: 'Unique id of this request in the log.',
    required: true,
    schema: text,
  },
  'X-Client-Request-Id': {
    description:
      'The `X-Request-Id` that the client sent, which is also logged. Absent if the client sent none, or one that is not 1 to 128 visible ASCII characters.',
    schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
  },
  'API-Version': {
    description: 'Version of the API; see `/docs/versioning`.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
  },
  Deprecation: {
    description:
      'Date since which the operation or a parameter of the request is deprecated (RFC 9745 §2): `@` and seconds since 1970. Absent if neither is deprecated.',
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: {
    description:
      'Date from which it may be removed (RFC 8594 §3). Absent if nothing is deprecated or no date is set.',
    schema: text,
  },
  ETag: {
    description: 'The strong entity tag of this version in this format (RFC 9110 §8.8.3).',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  'Cache-Control': { description: 'Caching rules (RFC 9111 §5.2).', required: true, schema: text },
  Location: {
    description: 'The URL of the new resource, in the format of the answer.',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
  Link: {
    description:
      'Link to the next page as `rel="next"` (RFC 8288), and to the announcement of a deprecation as `rel="deprecation"` (RFC 9745 §3). Absent if there is neither.',
    schema: text,
  },
  'Keydesk-Changed': {
    description: '`false` for a no-op: nothing changed, and the version is the same.',
    schema: { type: 'string', enum: ['false'] },
  },
  'Idempotency-Replayed': {
    description:
      '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'RateLimit-Policy': {
    description: 'The rate limit that applies to the request: `"reads";q=3000;w=60`. Absent without a limit.',
    schema: text,
  },
  RateLimit: {
    description: 'Remaining requests, and seconds until the limit is reset: `"reads";r=2999;t=60`.',
    schema: text,
  },
  'Retry-After': {
    description: 'Seconds to wait before retrying (RFC 9110 §10.2.3).',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description:
      'Challenge (RFC 6750 §3) with the `scope` that the operation requires and the URL of the `resource_metadata` (RFC 9728 §5.1). With `insufficient_user_authentication`, `acr_values` and `max_age` are what to request from the authorization server (RFC 9470 §3).',
    schema: text,
  },
  Allow: { description: 'Methods that this path supports (RFC 9110 §10.2.1).', required: true, schema: text },
} as const satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof headers;

/** Headers of every response; only the first two are always present. */
const commonHeaders: readonly HeaderName[] = [
  'X-Request-Id',
  'API-Version',
  'Deprecation',
  'Sunset',
  'Link',
  'X-Client-Request-Id',
  'RateLimit-Policy',
  'RateLimit',
];

/** Refers to the given headers of a response and to the common ones. */
export function toHeaders(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(
    [...commonHeaders, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
