import { hash } from 'node:crypto';
import { AppError } from '@keydesk/server';
import type { Client } from '../client.ts';
import { ImageError, type ImageFault, readWebImage, type WebImage } from './web-image.ts';

/** A client's logo, stored apart from the client because token requests load the client without it. */
export interface ClientLogo extends Pick<WebImage, 'mediaType' | 'bytes'> {
  /** SHA-256 of the bytes, base64url; the client's `logoDigest` refers to it. */
  digest: string;
  createdAt: Date;
}

export const MAX_LOGO_BYTES = 200_000;
/** Pixels. */
export const MIN_LOGO_SIDE = 16;
export const MAX_LOGO_SIDE = 2_048;

const messages = {
  logo_missing: 'is empty; send an image',
  logo_too_large: `is larger than ${MAX_LOGO_BYTES / 1_000} KB; send a smaller image`,
  logo_unsupported: 'is not a PNG, JPEG or WebP image; send one of these (SVG is not accepted)',
  logo_damaged: 'is incomplete or damaged; export it again',
  logo_animated: 'is animated; send a still image',
  logo_dimensions: `must have ${MIN_LOGO_SIDE} to ${MAX_LOGO_SIDE} pixels on each side`,
} as const;

/** Reasons to reject a logo, as codes of `validation_failed`. */
export type LogoFault = keyof typeof messages;

const faultOf: Readonly<Record<ImageFault, LogoFault>> = {
  unsupported: 'logo_unsupported',
  damaged: 'logo_damaged',
  animated: 'logo_animated',
};

/**
 * Reads a logo from an uploaded file. SVG is rejected: it can contain scripts, styles and references to other servers,
 * and only a sanitizer that keeps up with every browser would make an untrusted one safe.
 *
 * @throws {AppError} `validation_failed` with the code of a `LogoFault`
 */
export function readLogo(file: Buffer, now: Date): ClientLogo {
  if (file.length === 0) throw invalidLogo('logo_missing');
  if (file.length > MAX_LOGO_BYTES) throw invalidLogo('logo_too_large');
  const { mediaType, width, height, bytes } = readImage(file);
  if (Math.min(width, height) < MIN_LOGO_SIDE || Math.max(width, height) > MAX_LOGO_SIDE)
    throw invalidLogo('logo_dimensions');
  return { mediaType, bytes, digest: hash('sha256', bytes, 'base64url'), createdAt: now };
}

/** Path of a client's logo, different for each image; a disabled client's logo is not served. */
export function toLogoPath({
  id,
  logoDigest,
  status,
}: Pick<Client, 'id' | 'logoDigest' | 'status'>): string | undefined {
  if (logoDigest === null || status === 'disabled') return undefined;
  return `/application-logos/${encodeURIComponent(id)}/${logoDigest}`;
}

function readImage(file: Buffer): WebImage {
  try {
    return readWebImage(file);
  } catch (err) {
    throw err instanceof ImageError ? invalidLogo(faultOf[err.fault], err) : err;
  }
}

function invalidLogo(code: LogoFault, cause?: Error): AppError {
  const errors = [{ field: 'logo', code, message: messages[code] }];
  return new AppError('validation_failed', `The logo ${messages[code]}.`, { cause, errors });
}
