import { readFileSync } from 'node:fs';
import { type Asset, createAsset } from './asset.ts';

const MAX_BYTES = 200_000;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** What an SVG that is only looked at does not hold: scripts, handlers of events, pages, things from elsewhere. */
const activeContent =
  /<(script|foreignobject|iframe|!entity)|\son[a-z]+\s*=|javascript:|(href|src)\s*=\s*["']?\s*https?:/i;

/**
 * The operator's logo from a file, recognised by its content.
 *
 * @throws {Error} saying what is wrong with it
 */
export function readLogo(path: string): Asset {
  const content = read(path);
  if (content.length > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES / 1000} KB`);
  if (content.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return createAsset(content, 'png');
  if (content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP')
    return createAsset(content, 'webp');
  const text = content.toString('utf8');
  if (!/^\uFEFF?\s*<(\?xml|!--|svg)/.test(text) || !text.includes('<svg'))
    throw new Error('must be a file of SVG, PNG or WebP');
  if (activeContent.test(text))
    throw new Error('must be an SVG without scripts, event handlers and anything from elsewhere');
  return createAsset(content, 'svg');
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? cause.code : cause;
    throw new Error(`the file cannot be read (${reason})`, { cause });
  }
}
