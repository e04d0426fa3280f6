import { readFileSync } from 'node:fs';
import { type Asset, createAsset } from './asset.ts';

const MAX_BYTES = 200_000;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Active content in SVG: scripts, event handlers, embedded pages, external resources. */
const activeContent =
  /<(script|foreignobject|iframe|!entity)|\son[a-z]+\s*=|javascript:|(href|src)\s*=\s*["']?\s*https?:/i;

/**
 * Reads the operator's logo from a file; detects the format by content.
 *
 * @throws {Error} if the file is no valid logo
 */
export function readLogo(path: string): Asset {
  const content = read(path);
  if (content.length > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES / 1000} KB`);
  if (content.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return createAsset(content, 'png');
  if (content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP')
    return createAsset(content, 'webp');
  const text = content.toString('utf8');
  if (!/^\uFEFF?\s*<(\?xml|!--|svg)/.test(text) || !text.includes('<svg'))
    throw new Error('must be an SVG, PNG or WebP file');
  if (activeContent.test(text))
    throw new Error('must be an SVG without scripts, event handlers and external resources');
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
