import { AppError } from '@keydesk/http';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';

const MAX_BYTES = 16_384;
const MAX_FIELDS = 100;

/** Groups of checkboxes; any other field has one value. */
const repeatable: ReadonlySet<string> = new Set(['scopes']);

/** Options of koa-bodyparser, which hands `queryString` to qs. */
const options = {
  enableTypes: ['form'],
  formLimit: `${MAX_BYTES}b`,
  // A name is a plain text: no nesting by brackets or dots, no members of Object.prototype.
  queryString: {
    depth: 0,
    allowDots: false,
    parseArrays: false,
    plainObjects: true,
    parameterLimit: MAX_FIELDS,
    throwOnLimitExceeded: true,
  },
  onerror: refuse,
} satisfies bodyParser.Options & { queryString: object };

const parseForm = bodyParser(options);

/**
 * Reads a form of ours by koa-bodyparser, on the routes that take one and after the checks that need no body.
 *
 * @throws {AppError} `unsupported_media_type`; `payload_too_large` beyond 16 KB; `invalid_request` for a repeated field,
 *   for more than 100 of them, and when the body breaks off
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new AppError('unsupported_media_type', 'A form is application/x-www-form-urlencoded.');
  if (!['', 'identity'].includes(ctx.get('content-encoding').toLowerCase()))
    throw new AppError('unsupported_media_type', 'A form has no Content-Encoding.');
  await parseForm(ctx, async () => undefined);
  return toParameters(ctx.request.body as Record<string, string | string[]>);
}

function toParameters(fields: Record<string, string | string[]>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string' && !repeatable.has(name))
      throw new AppError('invalid_request', 'A form repeats no field.');
    for (const each of [value].flat()) form.append(name, each);
  }
  return form;
}

function refuse(cause: Error & { status?: number }): never {
  if (cause.status === 413)
    throw new AppError('payload_too_large', `A form has at most ${MAX_BYTES} bytes.`, { cause });
  // Without its cause, to which co-body adds the body and so passwords.
  if (cause instanceof RangeError)
    throw new AppError('invalid_request', `A form has at most ${MAX_FIELDS} fields.`);
  throw new AppError('invalid_request', 'The body of the request broke off.', { cause });
}
