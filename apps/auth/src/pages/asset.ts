import { createHash } from 'node:crypto';

const contentTypes = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
} as const;

/** Static file of the pages, named by its content hash, so that browsers can cache it forever. */
export interface Asset {
  /** `/assets/<hash>.<extension>`. */
  readonly path: string;
  /** The first 16 characters of the content's SHA-256 in base64url. */
  readonly hash: string;
  readonly contentType: string;
  readonly content: string | Buffer;
}

export function createAsset(content: string | Buffer, extension: keyof typeof contentTypes): Asset {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16);
  return { path: `/assets/${hash}.${extension}`, hash, contentType: contentTypes[extension], content };
}
