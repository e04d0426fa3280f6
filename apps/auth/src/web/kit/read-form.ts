import { AppError } from '@keydesk/server';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';

const MAX_BYTES = 16_384;
const MAX_FIELDS = 100;

/** Fields that may have several values (groups of checkboxes). */
const repeatable: ReadonlySet<string> = new Set(['scopes']);

/** Options of koa-bodyparser, which hands `queryString` to qs. */
const options = {
  enableTypes: ['form'],
  formLimit: `${MAX_BYTES}b`,
  // Names are plain text: brackets and dots do not nest, and names of Object.prototype are harmless.
  queryString: {
    depth: 0,
    allowDots: false,
    parseArrays: false,
    plainObjects: true,
    parameterLimit: MAX_FIELDS,
    throwOnLimitExceeded: true,
  },
  onerror: rejectForm,
} satisfies bodyParser.Options & { queryString: object };

const parseForm = bodyParser(options);

/**
 * Reads a form with koa-bodyparser. Only routes with a form call it, after all checks that do not need the body.
 *
 * @throws {AppError} `unsupported_media_type`; `payload_too_large` beyond 16 KB; `invalid_request` for a repeated field,
 *   more than 100 fields, or an aborted request
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new AppError(
      'unsupported_media_type',
      'Unsupported media type; send the form as application/x-www-form-urlencoded.',
    );
  if (!['', 'identity'].includes(ctx.get('content-encoding').toLowerCase()))
    throw new AppError('unsupported_media_type', 'Unsupported Content-Encoding; send the form uncompressed.');
  await parseForm(ctx, async () => undefined);
  return toParameters(ctx.request.body as Record<string, string | string[]>);
}

function toParameters(fields: Record<string, string | string[]>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string' && !repeatable.has(name))
      throw new AppError('invalid_request', 'The form must not repeat a field.');
    for (const each of [value].flat()) form.append(name, each);
  }
  return form;
}

function rejectForm(cause: Error & { status?: number }): never {
  if (cause.status === 413)
    throw new AppError('payload_too_large', `The form must have at most ${MAX_BYTES} bytes.`, { cause });
  // Without the cause, because co-body adds the body, and so passwords, to it.
  if (cause instanceof RangeError)
    throw new AppError('invalid_request', `The form must have at most ${MAX_FIELDS} fields.`);
  throw new AppError('invalid_request', 'The request body is incomplete; send it again.', { cause });
}
