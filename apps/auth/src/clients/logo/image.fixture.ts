import { crc32, deflateSync } from 'node:zlib';

const fromBase64 = (text: string) => Buffer.from(text, 'base64');

export function pngChunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}

export interface PngOptions {
  width?: number;
  height?: number;
  /** Red, green and blue. */
  color?: readonly [number, number, number];
  /** Chunks before the pixels. */
  chunks?: readonly Buffer[];
}

/** Draws a PNG: a disk in a ring, of one colour on a transparent background. */
export function png({
  width = 48,
  height = width,
  color = [11, 122, 75],
  chunks = [],
}: PngOptions = {}): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Array.from({ length: height }, (_, y) => [0, ...rowOf(y)]);
  function rowOf(y: number): number[] {
    return Array.from({ length: width }, (_, x) => {
      const radius = Math.hypot((2 * x) / width - 1, (2 * y) / height - 1);
      const isInside = radius < 0.4 || (radius > 0.6 && radius < 0.95);
      return isInside ? [...color, 255] : [0, 0, 0, 0];
    }).flat();
  }
  return Buffer.concat([
    fromBase64('iVBORw0KGgo='),
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    pngChunk('IEND'),
  ]);
}

const jpegStart = fromBase64('/9j/4AAQSkZJRgABAQAAAQABAAD/');
const jpegRest = fromBase64(
  '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAQABgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABQAG/8QAIBAAAgEEAgMBAAAAAAAAAAAAAgMBABETMhUhElFxkf/EABUBAQEAAAAAAAAAAAAAAAAAAAAD/8QAFxEBAAMAAAAAAAAAAAAAAAAAAAMSQv/aAAwDAQACEQMRAD8A0bWCpRMLUYmZoTnXZb4gx+u7/tNtWLVEstSiYmhOCfltlDwvt3e3yiUlsm1MFqhYOpRExVUpYqUKx1GIiKqKv//Z',
);

export function jpegSegment(marker: number, data: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** A baseline JPEG of 24 × 16 pixels as Chromium writes it, with the given segments after its first. */
export function jpeg(...segments: readonly Buffer[]): Buffer {
  // Skips the two bytes that pad the base64.
  return Buffer.concat([jpegStart.subarray(0, 20), ...segments, jpegRest.subarray(2)]);
}

export function webpChunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

export function webp(...chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** Chunks of WebP images of 24 × 16 pixels as Chromium writes them. */
export const webpChunks = {
  lossy: webpChunk(
    'VP8 ',
    fromBase64(
      '0AMAnQEqGAAQAD8RcrBQLCakorAIAYAiCWwAAFqhU1s1JHdhXY+AAP7tUSJ9mQUOQmgswmtT3d4WdEqdDFTfE4cK/Z21bP9bVRC9fMJxwEGDpc87KqQbSw7qS5AzMAAA',
    ),
  ),
  lossless: webpChunk(
    'VP8L',
    fromBase64(
      'LxfAAwCvoKhtJDe4ve9vMRzIUxRJUputy5HwAwFYQVEkSW32ciDDFxnIYP7j14+A9h4AQEwhEhJ274pZias92/sPm8rdxCgAEAsDQAgIACASMQUHkSQpUj//MaZ/scf/BiL6r8BtG6VjOvwFAAAAAAAAAJrmVGYsH8mjnA9leCVJ8u6PUCRrLg5kum1xG/dRJVuuzuNgei+YDgrfnZajsfa+ludw+HDdZ5FPt7z0YbKu2z9+Hg==',
    ),
  ),
  alpha: webpChunk(
    'ALPH',
    fromBase64(
      'DXBTbduyPLhF8NkbQAQI4FZAC+jE6jAyWgYr8DNrAXedPjtQICImAP9sw1qEPp8AlN3Kg8cwAwBTwu89c1RBtsezbLogBanelckDutwpMYmXnHLKd8527YcobXCmM0bCosaz9RUCAEYlcO/iYys2ELrd4CcB',
    ),
  ),
  extended: (flags: number) => webpChunk('VP8X', Buffer.from([flags, 0, 0, 0, 23, 0, 0, 15, 0, 0])),
};
