import { readFileSync } from 'node:fs';
import type { Config } from '@keydesk/config';
import { z } from 'zod';
import { type Asset, createAsset } from './asset.ts';
import { type BrandSettings, backgrounds } from './brand.ts';
import { contrast, parseColor } from './color.ts';
import { safeHref } from './href.ts';

/** Minimum contrast (WCAG 2.2, 1.4.11). Below it, pages would have to replace the color. */
const MIN_CONTRAST = 3;

/** Schema of a color that is visible on the background of the pages. */
const visibleColor = (background: string) =>
  z.string().superRefine((text, issues) => {
    const [color, behind] = [parseColor(text), parseColor(background)];
    if (color === undefined) return issues.addIssue('must be a color such as #3350c8');
    if (behind === undefined || contrast(color, behind) >= MIN_CONTRAST) return;
    const ratio = contrast(color, behind).toFixed(1);
    issues.addIssue(
      `has a contrast of ${ratio} with the pages (${background}); use a color with at least ${MIN_CONTRAST} (WCAG 2.2, 1.4.11)`,
    );
  });

const logoFile = z.string().transform((path, issues): Asset => {
  try {
    return readLogo(path);
  } catch (err) {
    issues.addIssue(err instanceof Error ? err.message : String(err));
    return z.NEVER;
  }
});

const address = z
  .string()
  .refine((text) => safeHref(text) !== undefined, 'must be an https, http or mailto URL');

/** Settings of the branding on pages and in mails. */
export const brandSettings = {
  serviceName: {
    env: 'SERVICE_NAME',
    schema: z
      .string()
      .trim()
      .regex(/^\P{Cc}{1,60}$/u, 'must have 1 to 60 printable characters')
      .default('Keydesk')
      .describe('Name of the service, on pages and in mails'),
  },
  brandColor: {
    env: 'BRAND_COLOR',
    schema: visibleColor(backgrounds.light)
      .optional()
      .describe(
        'Color of buttons, links and icons on pages and in mails, as `#rrggbb`; low contrast is rejected',
      ),
  },
  brandColorDark: {
    env: 'BRAND_COLOR_DARK',
    schema: visibleColor(backgrounds.dark)
      .optional()
      .describe('Color in dark mode (default: `BRAND_COLOR`, lightened where it is unreadable)'),
  },
  brandLogo: {
    env: 'BRAND_LOGO_FILE',
    schema: logoFile
      .optional()
      .describe('Logo on pages instead of the name: an SVG, PNG or WebP file of at most 200 KB'),
  },
  brandLogoDark: {
    env: 'BRAND_LOGO_DARK_FILE',
    schema: logoFile.optional().describe('Logo in dark mode (default: `BRAND_LOGO_FILE`)'),
  },
  privacyUrl: {
    env: 'BRAND_PRIVACY_URL',
    schema: address.optional().describe('Privacy policy, linked in the footer of every page'),
  },
  termsUrl: {
    env: 'BRAND_TERMS_URL',
    schema: address.optional().describe('Terms of service, linked in the footer'),
  },
  imprintUrl: {
    env: 'BRAND_IMPRINT_URL',
    schema: address.optional().describe('Imprint, linked in the footer'),
  },
  supportUrl: {
    env: 'BRAND_SUPPORT_URL',
    schema: address.optional().describe('Support page or `mailto:` address, linked in the footer'),
  },
} as const;

type BrandConfig = Config<typeof brandSettings>;

/** Converts the settings to the brand of the pages and the logo files to serve. */
export function toBrand(config: BrandConfig): { brand: BrandSettings; logos: readonly Asset[] } {
  const { brandLogo, brandLogoDark } = config;
  const links = {
    privacy: config.privacyUrl,
    terms: config.termsUrl,
    imprint: config.imprintUrl,
    support: config.supportUrl,
  };
  return {
    brand: {
      name: config.serviceName,
      accentColor: config.brandColor,
      accentColorDark: config.brandColorDark,
      logoUrl: (brandLogo ?? brandLogoDark)?.path,
      logoUrlDark: brandLogoDark?.path,
      links: Object.fromEntries(Object.entries(links).filter(([, url]) => url !== undefined)),
    },
    logos: [brandLogo, brandLogoDark].filter((logo) => logo !== undefined),
  };
}

const MAX_BYTES = 200_000;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Active content in SVG: scripts, event handlers, embedded pages, external resources. */
const activeContent =
  /<(script|foreignobject|iframe|!entity)|\son[a-z]+\s*=|javascript:|(href|src)\s*=\s*["']?\s*https?:/i;

/**
 * Reads the operator's logo from a file; detects the format by content.
 *
 * @throws {Error} if the file is not a valid logo
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
