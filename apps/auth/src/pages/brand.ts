import { type Asset, createAsset } from './asset.ts';
import {
  black,
  type Color,
  contrast,
  formatColor,
  mix,
  parseColor,
  toReadableColor,
  white,
} from './color.ts';
import { safeHref } from './href.ts';

/** Branding of the service, from the configuration. */
export interface BrandSettings {
  name: string;
  /** Color of buttons, links and icons, as `#rrggbb`. */
  accentColor?: string | undefined;
  /** Accent color in dark mode, as `#rrggbb` (default: `accentColor`). */
  accentColorDark?: string | undefined;
  /** A path on this server, or a URL whose origin the pages' `img-src` policy allows. */
  logoUrl?: string | undefined;
  /** Logo in dark mode (default: `logoUrl`). */
  logoUrlDark?: string | undefined;
  /** Links in the footer of every page. */
  links?: Readonly<Partial<Record<BrandLink, string>>> | undefined;
}

export type BrandLink = 'privacy' | 'terms' | 'imprint' | 'support';

/** Branding as the pages render it. */
export interface Brand {
  readonly name: string;
  /** Logo of the operator. Without one, pages show the icon and the name. */
  readonly logo: { readonly url: string; readonly urlDark: string } | undefined;
  readonly links: Readonly<Partial<Record<BrandLink, string>>>;
  /** Colors, as custom properties for the pages' style sheet. */
  readonly styleSheet: Asset;
  /** A keyhole on the accent color; also the favicon. */
  readonly icon: Asset;
}

const DEFAULT_ACCENT = '#3350c8';

/** Colors of a button, as `#rrggbb`. */
export interface ButtonColors {
  background: string;
  text: string;
}

/** Returns the accent color and a text color that is readable on it. Used by mails, which have no style sheet. */
export function toButtonColors(accentColor: string = DEFAULT_ACCENT): ButtonColors {
  const accent = parseColor(accentColor);
  if (accent === undefined)
    throw new Error(`Invalid color "${accentColor}"; use a color such as ${DEFAULT_ACCENT}.`);
  return { background: formatColor(accent), text: formatColor(textOn(accent)) };
}

/** Backgrounds of `styles/base.css` on which accent-colored text has the least contrast: light page, dark card. */
export const backgrounds = { light: '#f4f5f7', dark: '#1b1f27' } as const;

// Minimum contrasts of WCAG 2.2: 1.4.3 for text, 1.4.11 for user interface components.
const TEXT_CONTRAST = 4.5;
const CONTROL_CONTRAST = 3;

/** @throws {Error} if a setting is not a color or not a URL */
export function createBrand(settings: BrandSettings): Brand {
  const { name, accentColor = DEFAULT_ACCENT, logoUrl, links = {} } = settings;
  const { accentColorDark = accentColor, logoUrlDark = logoUrl } = settings;
  const light = parseColor(accentColor);
  const dark = parseColor(accentColorDark);
  if (light === undefined || dark === undefined)
    throw new Error(
      `Invalid color "${accentColor}" or "${accentColorDark}"; use a color such as ${DEFAULT_ACCENT}.`,
    );
  for (const address of [logoUrl, logoUrlDark, ...Object.values(links)])
    if (address !== undefined && safeHref(address) === undefined)
      throw new Error(
        `Invalid link "${address}"; use a path of this server or an https, http or mailto URL.`,
      );
  return {
    name,
    logo:
      logoUrl !== undefined && logoUrlDark !== undefined ? { url: logoUrl, urlDark: logoUrlDark } : undefined,
    links,
    styleSheet: createAsset(writeStyleSheet(light, dark), 'css'),
    icon: createAsset(drawIcon(light), 'svg'),
  };
}

function writeStyleSheet(light: Color, dark: Color): string {
  return `:root {
${properties(light, backgrounds.light)}
}
@media (prefers-color-scheme: dark) {
  :root {
${properties(dark, backgrounds.dark)}
  }
}
`;
}

function properties(accent: Color, backgroundText: string): string {
  const background = parseColor(backgroundText) ?? white;
  const onAccent = textOn(accent);
  const colors = {
    accent,
    'on-accent': onAccent,
    'accent-hover': mix(accent, onAccent === white ? black : white, 0.14),
    'accent-edge': toReadableColor(background, accent, CONTROL_CONTRAST),
    'accent-text': toReadableColor(background, accent, TEXT_CONTRAST),
  };
  return Object.entries(colors)
    .map(([name, color]) => `    --${name}: ${formatColor(color)};`)
    .join('\n');
}

/** Returns white if it is readable on the color, else black. One of them always has a contrast of at least 4.5. */
function textOn(color: Color): Color {
  return contrast(white, color) >= TEXT_CONTRAST ? white : black;
}

function drawIcon(accent: Color): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="${formatColor(accent)}"/>
<path d="M16 7.5a5 5 0 0 0-2.6 9.27L11.8 24.5h8.4l-1.6-7.73A5 5 0 0 0 16 7.5z" fill="${formatColor(textOn(accent))}"/>
</svg>
`;
}
