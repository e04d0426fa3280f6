import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { jpeg, jpegSegment, png, pngChunk, webp, webpChunk, webpChunks } from './image.fixture.ts';
import { ImageError, readWebImage } from './web-image.ts';

const { lossy, lossless, alpha, extended } = webpChunks;
const flags = { animation: 0x02, xmp: 0x04, exif: 0x08, alpha: 0x10, icc: 0x20 };
const profile = Buffer.from('ICC_PROFILE\0\x01\x01 profile');

const images = {
  PNG: png({ width: 24, height: 16 }),
  JPEG: jpeg(),
  'lossy WebP': webp(lossy),
  'lossless WebP': webp(lossless),
  'WebP with transparency': webp(extended(flags.alpha), alpha, lossy),
};

/** Returns the reason why an image is rejected; `undefined` if it is accepted. */
function faultOf(bytes: Buffer): string | undefined {
  try {
    readWebImage(bytes);
    return undefined;
  } catch (err) {
    if (err instanceof ImageError) return err.fault;
    throw err;
  }
}

describe('a web image', () => {
  it.each(Object.entries(images))('is recognized by its content, with its size: %s', (name, bytes) => {
    const mediaType = `image/${name
      .split(' ')
      .find((word) => /PNG|JPEG|WebP/.test(word))
      ?.toLowerCase()}`;
    expect(readWebImage(bytes)).toEqual({ mediaType, width: 24, height: 16, bytes });
  });

  it.each([
    [
      'PNG',
      png({ chunks: [pngChunk('eXIf', Buffer.from('secret')), pngChunk('tEXt', Buffer.from('secret\0'))] }),
      png(),
    ],
    [
      'JPEG',
      jpeg(jpegSegment(0xe1, Buffer.from('Exif\0\0secret')), jpegSegment(0xfe, Buffer.from('secret'))),
      jpeg(),
    ],
    [
      'WebP',
      webp(
        extended(flags.exif | flags.xmp | flags.alpha),
        alpha,
        lossy,
        webpChunk('EXIF', Buffer.from('secret')),
        webpChunk('XMP ', Buffer.from('<secret>')),
      ),
      webp(extended(flags.alpha), alpha, lossy),
    ],
  ])('loses its metadata, such as where a photograph was taken: %s', (_, given, expected) => {
    expect(given.includes('secret')).toBe(true);
    expect(readWebImage(given).bytes).toEqual(expected);
  });

  it.each([
    ['PNG', png({ chunks: [pngChunk('iCCP', profile), pngChunk('gAMA', Buffer.alloc(4))] })],
    ['JPEG', jpeg(jpegSegment(0xe2, profile))],
    ['WebP', webp(extended(flags.icc), webpChunk('ICCP', profile), lossless)],
  ])('keeps its colours: %s', (_, bytes) => {
    expect(readWebImage(bytes).bytes).toEqual(bytes);
  });

  it.each(Object.entries(images))('loses the bytes after its end: %s', (_, bytes) => {
    const appended = Buffer.concat([bytes, Buffer.from('<script>alert(1)</script>')]);
    expect(readWebImage(appended).bytes).toEqual(bytes);
  });

  it.each(Object.entries(images))('is rejected if it is truncated at any byte: %s', (_, bytes) => {
    const faults = Array.from({ length: bytes.length }, (_, length) => faultOf(bytes.subarray(0, length)));
    expect(faults.every((fault) => fault === 'unsupported' || fault === 'damaged')).toBe(true);
    expect(faults.slice(12)).not.toContain('unsupported');
  });

  it.each([
    ['PNG', png({ chunks: [pngChunk('acTL', Buffer.alloc(8))] })],
    ['WebP by its header', webp(extended(flags.animation), lossy)],
    ['WebP by its chunks', webp(extended(0), webpChunk('ANIM', Buffer.alloc(6)), lossy)],
  ])('is rejected if it is animated: %s', (_, bytes) => {
    expect(faultOf(bytes)).toBe('animated');
  });

  it.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['an SVG after an XML declaration', '<?xml version="1.0"?><svg/>'],
    ['a GIF', 'GIF89a\x01\x00\x01\x00'],
    ['a BMP', 'BM\x00\x00'],
    ['an HTML page', '<!doctype html><script>alert(1)</script>'],
    ['a WAV file', 'RIFF\x24\x00\x00\x00WAVEfmt '],
    ['an AVIF', '\x00\x00\x00\x20ftypavif'],
  ])('is rejected if its content is %s', (_, text) => {
    expect(faultOf(Buffer.from(text, 'latin1'))).toBe('unsupported');
  });

  it.each([
    ['a PNG with a wrong checksum', png().with(40, 0)],
    ['a PNG that does not begin with its header', moved(png())],
    ['a PNG without pixels', withoutPixels(png())],
    ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xd9])],
    ['a JPEG of 200 scans', jpeg(...Array.from({ length: 200 }, () => jpegSegment(0xda, Buffer.alloc(6))))],
    ['a WebP without pixels', webp(extended(0))],
    ['a WebP of two sizes', webp(webpChunk('VP8X', Buffer.from([0, 0, 0, 0, 9, 0, 0, 9, 0, 0])), lossy)],
    ['a WebP whose frame depends on another', webp(Buffer.from(lossy).fill(0xd1, 8, 9))],
  ])('is rejected if it is %s', (_, bytes) => {
    expect(faultOf(Buffer.from(bytes))).toBe('damaged');
  });

  it('is read or rejected, without an unexpected error, whichever of its bytes change', () => {
    const all = Object.values(images);
    for (let i = 0; i < 5_000; i++) {
      const bytes = Buffer.from(all[i % all.length] ?? []);
      for (let n = randomBytes(1).readUInt8() % 4; n >= 0; n--)
        bytes.writeUInt8(randomBytes(1).readUInt8(), randomBytes(2).readUInt16BE() % bytes.length);
      expect(['unsupported', 'damaged', 'animated', undefined]).toContain(faultOf(bytes));
    }
  });
});

function withoutPixels(file: Buffer): Buffer {
  const at = file.indexOf('IDAT') - 4;
  return Buffer.concat([file.subarray(0, at), file.subarray(at + 12 + file.readUInt32BE(at))]);
}

/** A PNG whose pixels come before its header. */
function moved(file: Buffer): Buffer {
  const header = file.subarray(8, 33);
  return Buffer.concat([file.subarray(0, 8), file.subarray(33, -12), header, file.subarray(-12)]);
}
