import type { HeaderObject, Reference } from './openapi/document.ts';

const text = { type: 'string' } as const;

/** The headers of answers that clients are told about. The others are those of HTTP itself, of CORS and of security. */
export const headers = {
  'X-Request-Id': {
    description: 'Names this request in the log; every request has an id of its own.',
    required: true,
    schema: text,
  },
  'X-Client-Request-Id': {
    description:
      'The `X-Request-Id` of the request, which is logged beside ours. Absent without one, or if it is not 1 to 128 visible ASCII characters.',
    schema: { type: 'string', pattern: '^[!-~]{1,128}$' },
  },
  'API-Version': {
    description: 'Version of the API that answered; see `/docs/versioning`.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
  },
  Deprecation: {
    description:
      'Since when the operation, or a parameter of the request, is deprecated (RFC 9745 §2): `@` and seconds since 1970. Absent where nothing is.',
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: {
    description:
      'From when on it may be gone (RFC 8594 §3). Absent where nothing is deprecated, or no date is set.',
    schema: text,
  },
  ETag: {
    description: 'The strong entity tag of this version in this format (RFC 9110 §8.8.3).',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  'Cache-Control': { description: 'How long it may be kept (RFC 9111 §5.2).', required: true, schema: text },
  Location: {
    description: 'The URL of the new resource, in the format of the answer.',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
  Link: {
    description:
      'The next page as `rel="next"` (RFC 8288), and the announcement of what is deprecated as `rel="deprecation"` (RFC 9745 §3). Absent where there is neither.',
    schema: text,
  },
  'Keydesk-Changed': {
    description: '`false` when the change changed nothing, so that the version is the same.',
    schema: { type: 'string', enum: ['false'] },
  },
  'Idempotency-Replayed': {
    description: '`true` when an earlier request with the same `Idempotency-Key` made what is answered.',
    schema: { type: 'string', enum: ['true'] },
  },
  'RateLimit-Policy': {
    description: 'The limit that the request was counted for: `"reads";q=3000;w=60`. Absent without a limit.',
    schema: text,
  },
  RateLimit: {
    description: 'What is left of it, and in how many seconds it is renewed: `"reads";r=2999;t=60`.',
    schema: text,
  },
  'Retry-After': {
    description: 'In how many seconds to try again (RFC 9110 §10.2.3).',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description:
      'The challenge (RFC 6750 §3): the `scope` that the operation needs, and the URL of the `resource_metadata` (RFC 9728 §5.1).',
    schema: text,
  },
  Allow: { description: 'The methods of this path (RFC 9110 §10.2.1).', required: true, schema: text },
} as const satisfies Record<string, HeaderObject>;

export type HeaderName = keyof typeof headers;

/** Headers of every answer; only the first two are always present. */
const ofEvery: readonly HeaderName[] = [
  'X-Request-Id',
  'API-Version',
  'Deprecation',
  'Sunset',
  'Link',
  'X-Client-Request-Id',
  'RateLimit-Policy',
  'RateLimit',
];

/** The headers of an answer, those of every answer among them. */
export function toHeaders(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(
    [...ofEvery, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
