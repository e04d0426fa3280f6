import { crc32 } from 'node:zlib';

/** An image without metadata and without bytes after its end. */
export interface WebImage {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  /** Pixels. */
  width: number;
  height: number;
  bytes: Buffer;
}

/** Reasons to reject an image. */
export type ImageFault = 'unsupported' | 'damaged' | 'animated';

export class ImageError extends Error {
  override name = 'ImageError';
  readonly fault: ImageFault;

  constructor(fault: ImageFault, options?: ErrorOptions) {
    super(`The image is ${fault}.`, options);
    this.fault = fault;
  }
}

type Size = Pick<WebImage, 'width' | 'height'>;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Reads a PNG, JPEG or WebP image, which it recognizes by its content. Checks the whole structure, but decodes no pixels.
 *
 * @throws {ImageError}
 */
export function readWebImage(bytes: Buffer): WebImage {
  const read = findReader(bytes);
  if (!read) throw new ImageError('unsupported');
  try {
    return read(bytes);
  } catch (cause) {
    // A length points beyond the end of the file.
    throw cause instanceof RangeError ? new ImageError('damaged', { cause }) : cause;
  }
}

function findReader(bytes: Buffer): ((bytes: Buffer) => WebImage) | undefined {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return readPng;
  if (bytes.toString('latin1', 0, 3) === '\xff\xd8\xff') return readJpeg;
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? readWebp : undefined;
}

/** Chunks that are retained: pixels, palette, transparency and colour space (PNG 3rd edition §11). */
const pngChunks = ['IHDR', 'PLTE', 'tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'IDAT', 'IEND'];

function readPng(bytes: Buffer): WebImage {
  const retained: Buffer[] = [PNG_SIGNATURE];
  const seen = new Set<string>();
  for (let at = PNG_SIGNATURE.length; !seen.has('IEND'); ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    // The checksum covers type and data (§5.3), and also detects a truncated chunk.
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      throw new ImageError('damaged');
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') throw new ImageError('animated');
    if (seen.size === 0 && type !== 'IHDR') throw new ImageError('damaged');
    if (pngChunks.includes(type)) retained.push(bytes.subarray(at, end));
    seen.add(type);
    at = end;
  }
  if (!seen.has('IDAT')) throw new ImageError('damaged');
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  return { mediaType: 'image/png', ...size, bytes: Buffer.concat(retained) };
}

const jpeg = { startOfFrame: [0xc0, 0xc1, 0xc2], startOfScan: 0xda, end: 0xd9, fill: 0xff };
/** Segments that are retained: tables, frame, scans, JFIF and Adobe's colour transform (ITU-T T.81 table B.1). */
const jpegSegments = [...jpeg.startOfFrame, 0xc4, 0xdb, 0xdd, jpeg.startOfScan, 0xe0, 0xee];
/** Limit of scans: a progressive image has about ten, and thousands keep a browser busy for minutes. */
const MAX_SCANS = 100;

function readJpeg(bytes: Buffer): WebImage {
  const retained = [bytes.subarray(0, 2)];
  for (let at = 2; ; ) {
    while (markerAt(bytes, at) === jpeg.fill) at++;
    const marker = markerAt(bytes, at);
    if (marker === jpeg.end) break;
    const end = marker === jpeg.startOfScan ? endOfScan(bytes, at) : endOfSegment(bytes, at);
    if (jpegSegments.includes(marker) || isColorProfile(bytes, at)) retained.push(bytes.subarray(at, end));
    at = end;
  }
  const frame = retained.find((segment) => jpeg.startOfFrame.includes(markerAt(segment, 0)));
  const scans = retained.filter((segment) => markerAt(segment, 0) === jpeg.startOfScan).length;
  if (!frame || scans === 0 || scans > MAX_SCANS) throw new ImageError('damaged');
  const size = { width: frame.readUInt16BE(7), height: frame.readUInt16BE(5) };
  return {
    mediaType: 'image/jpeg',
    ...size,
    bytes: Buffer.concat([...retained, Buffer.from([0xff, jpeg.end])]),
  };
}

function markerAt(bytes: Buffer, at: number): number {
  if (bytes.readUInt8(at) !== 0xff) throw new ImageError('damaged');
  return bytes.readUInt8(at + 1);
}

function endOfSegment(bytes: Buffer, at: number): number {
  const end = at + 2 + bytes.readUInt16BE(at + 2);
  // Throws if the next marker is missing, because the file is truncated.
  bytes.readUInt16BE(end);
  return end;
}

/** Finds the end of a scan: the next marker that is neither a stuffed byte nor a restart (T.81 §B.1.1). */
function endOfScan(bytes: Buffer, at: number): number {
  for (let end = endOfSegment(bytes, at); ; end++) {
    end = bytes.indexOf(0xff, end);
    if (end === -1) throw new ImageError('damaged');
    const next = bytes.readUInt8(end + 1);
    const isData = next === 0 || (next >= 0xd0 && next <= 0xd7) || next === 0xff;
    if (!isData) return end;
  }
}

function isColorProfile(bytes: Buffer, at: number): boolean {
  return markerAt(bytes, at) === 0xe2 && bytes.toString('latin1', at + 4, at + 16) === 'ICC_PROFILE\0';
}

/** Chunks that are retained (RFC 9649 §2.7). */
const webpChunks = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ICCP'];
const webpFlags = { animation: 0x02, exif: 0x08, xmp: 0x04 };

function readWebp(bytes: Buffer): WebImage {
  const retained: Buffer[] = [];
  const sizes: Size[] = [];
  const fileEnd = 8 + bytes.readUInt32LE(4);
  if (fileEnd > bytes.length) throw new ImageError('damaged');
  for (let at = 12; at < fileEnd; ) {
    const type = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (end > fileEnd) throw new ImageError('damaged');
    const chunk = Buffer.from(bytes.subarray(at, end));
    const size = sizeOfChunk(type, chunk);
    if (size) sizes.push(size);
    if (webpChunks.includes(type)) retained.push(chunk);
    at = end;
  }
  const [size] = sizes;
  const isOneSize = sizes.every(({ width, height }) => width === size?.width && height === size.height);
  const hasPixels = retained.some((chunk) => /^VP8[ L]/.test(chunk.toString('latin1', 0, 4)));
  if (!size || !isOneSize || !hasPixels) throw new ImageError('damaged');
  return { mediaType: 'image/webp', ...size, bytes: toWebpFile(retained) };
}

/** Returns the size in a chunk's header; clears the flags of removed metadata in the extended header. */
function sizeOfChunk(type: string, chunk: Buffer): Size | undefined {
  if (type === 'ANIM' || type === 'ANMF') throw new ImageError('animated');
  if (type === 'VP8 ') return sizeOfLossy(chunk);
  if (type === 'VP8L') return sizeOfLossless(chunk);
  if (type !== 'VP8X') return undefined;
  const flags = chunk.readUInt8(8);
  if (flags & webpFlags.animation) throw new ImageError('animated');
  chunk.writeUInt8(flags & ~(webpFlags.exif | webpFlags.xmp), 8);
  return { width: 1 + chunk.readUIntLE(12, 3), height: 1 + chunk.readUIntLE(15, 3) };
}

/** Reads the size from the header of a key frame: 14 bits for each side (RFC 6386 §9.1). */
function sizeOfLossy(chunk: Buffer): Size {
  const isKeyFrame = (chunk.readUInt8(8) & 1) === 0 && chunk.readUIntBE(11, 3) === 0x9d012a;
  if (!isKeyFrame) throw new ImageError('damaged');
  return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff };
}

/** Reads the size after the signature: 14 bits for each side minus 1 (RFC 9649 §3.4). */
function sizeOfLossless(chunk: Buffer): Size {
  if (chunk.readUInt8(8) !== 0x2f) throw new ImageError('damaged');
  const bits = chunk.readUInt32LE(9);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

function toWebpFile(chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
