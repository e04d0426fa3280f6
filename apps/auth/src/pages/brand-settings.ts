import type { Config } from '@keydesk/config';
import { z } from 'zod';
import type { Asset } from './asset.ts';
import { type BrandSettings, backgrounds } from './brand.ts';
import { contrast, parseColor } from './color.ts';
import { safeHref } from './href.ts';
import { readLogo } from './logo.ts';

/** WCAG 2.2, 1.4.11. Below it, pages would have to show another colour than the one that was asked for. */
const LEAST_CONTRAST = 3;

/** A colour that is seen on the background of the pages. */
const colorOn = (background: string) =>
  z.string().superRefine((text, issues) => {
    const [color, behind] = [parseColor(text), parseColor(background)];
    if (color === undefined) return issues.addIssue('must look like #3350c8');
    if (behind === undefined || contrast(color, behind) >= LEAST_CONTRAST) return;
    const ratio = contrast(color, behind).toFixed(1);
    issues.addIssue(
      `has a contrast of ${ratio} with the pages (${background}), but needs ${LEAST_CONTRAST} to be seen (WCAG 2.2, 1.4.11)`,
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
  .refine((text) => safeHref(text) !== undefined, 'must be an https, http or mailto address');

/** How the operator's service presents itself on pages and in mails. */
export const brandSettings = {
  serviceName: {
    env: 'SERVICE_NAME',
    schema: z
      .string()
      .trim()
      .regex(/^\P{Cc}{1,60}$/u, 'needs 1 to 60 printable characters')
      .default('Keydesk')
      .describe('Name of the service, on pages and in mails'),
  },
  brandColor: {
    env: 'BRAND_COLOR',
    schema: colorOn(backgrounds.light)
      .optional()
      .describe(
        'Colour of buttons, links and marks on pages and in mails, as `#rrggbb`; one that cannot be seen is refused',
      ),
  },
  brandColorDark: {
    env: 'BRAND_COLOR_DARK',
    schema: colorOn(backgrounds.dark)
      .optional()
      .describe('The same in dark mode; default: `BRAND_COLOR`, lightened where it could not be read'),
  },
  brandLogo: {
    env: 'BRAND_LOGO_FILE',
    schema: logoFile
      .optional()
      .describe('Logo on pages in place of the name: a file of SVG, PNG or WebP, at most 200 KB'),
  },
  brandLogoDark: {
    env: 'BRAND_LOGO_DARK_FILE',
    schema: logoFile.optional().describe('The logo in dark mode; default: the same'),
  },
  privacyUrl: {
    env: 'BRAND_PRIVACY_URL',
    schema: address.optional().describe('Your privacy policy, at the foot of every page'),
  },
  termsUrl: {
    env: 'BRAND_TERMS_URL',
    schema: address.optional().describe('Your terms of service, likewise'),
  },
  imprintUrl: {
    env: 'BRAND_IMPRINT_URL',
    schema: address.optional().describe('Your imprint, likewise'),
  },
  supportUrl: {
    env: 'BRAND_SUPPORT_URL',
    schema: address.optional().describe('Where people find help, likewise; may be `mailto:`'),
  },
} as const;

export type BrandConfig = Config<typeof brandSettings>;

/** What settings make of the pages: the brand, and the files that are served for it. */
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
