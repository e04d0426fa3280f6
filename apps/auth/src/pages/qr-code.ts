import { lazyModule } from '@keydesk/server';

const loadLibrary = lazyModule<typeof import('qrcode')>('qrcode', import.meta.url);

/** QR code as an SVG path; each module is one unit. */
export interface QrCode {
  /** Modules on each side. */
  size: number;
  path: string;
}

/** Encodes text as a QR code (ISO/IEC 18004). */
export function toQrCode(text: string): QrCode {
  const { size, data } = loadLibrary().create(text, { errorCorrectionLevel: 'M' }).modules;
  const rows = Array.from({ length: size }, (_, y) => toRow(data.subarray(y * size, (y + 1) * size), y));
  return { size, path: rows.join('') };
}

/** Draws each run of dark modules as one rectangle. */
function toRow(modules: Uint8Array, y: number): string {
  const runs = Array.from(modules, (module) => (module ? '1' : '0'))
    .join('')
    .matchAll(/1+/g);
  return Array.from(runs, ({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`).join('');
}
