import { readBody } from '@keydesk/server';
import type { Context } from 'koa';

/** A posted form with one file. */
export interface Upload {
  /** The text fields. */
  form: URLSearchParams;
  file: Buffer;
}

export interface UploadLimits {
  /** Name of the field that has the file. */
  fileField: string;
  /** Names of the other fields. */
  textFields: readonly string[];
  maxFileBytes: number;
}

/** Limit of the boundaries, headers and text fields of a form. */
const MAX_OTHER_BYTES = 8_192;

/**
 * Reads a `multipart/form-data` form (RFC 7578) into memory, up to a limit. Only upload routes call it, after all
 * checks that do not need the body. The parser is that of Node's `fetch`.
 *
 * @returns the form; `too_large` if it exceeds the limits, or `invalid` if it differs from the page's form
 */
export async function readUpload(
  ctx: Context,
  limits: UploadLimits,
): Promise<Upload | 'too_large' | 'invalid'> {
  const contentType = ctx.get('content-type');
  if (!ctx.is('multipart/form-data') || ctx.get('content-encoding') !== '') return 'invalid';
  const body = await readBody(ctx, limits.maxFileBytes + MAX_OTHER_BYTES);
  if (!body) {
    // Otherwise the rest of the body would be parsed as the connection's next request.
    ctx.set('Connection', 'close');
    return 'too_large';
  }
  const fields = await parse(body, contentType);
  return fields ? toUpload(fields, limits) : 'invalid';
}

async function parse(body: Buffer, contentType: string): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType } }).formData();
  } catch {
    return undefined;
  }
}

async function toUpload(
  fields: FormData,
  { fileField, textFields, maxFileBytes }: UploadLimits,
): Promise<Upload | 'too_large' | 'invalid'> {
  const form = new URLSearchParams();
  let file: File | undefined;
  for (const [name, value] of fields) {
    const isKnown = typeof value === 'string' ? textFields.includes(name) : name === fileField;
    const isRepeated = form.has(name) || (typeof value !== 'string' && file !== undefined);
    if (!isKnown || isRepeated) return 'invalid';
    if (typeof value === 'string') form.append(name, value);
    else file = value;
  }
  if (!file) return 'invalid';
  return file.size > maxFileBytes ? 'too_large' : { form, file: Buffer.from(await file.arrayBuffer()) };
}
