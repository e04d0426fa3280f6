import { type Asset, createAsset } from './asset.ts';
import { black, type Color, contrast, mix, parseColor, readableOn, white, writeColor } from './color.ts';
import { safeHref } from './href.ts';

/** How the operator's service presents itself; all of it comes from settings. */
export interface BrandSettings {
  name: string;
  /** `#rrggbb`; colour of buttons, links and marks. */
  accentColor?: string | undefined;
  /** `#rrggbb`; the same in dark mode, by default `accentColor`. */
  accentColorDark?: string | undefined;
  /** A path on this server, or an address whose origin the policy of the pages lets images come from. */
  logoUrl?: string | undefined;
  /** The logo in dark mode, by default `logoUrl`. */
  logoUrlDark?: string | undefined;
  /** Addresses for the foot of every page. */
  links?: Readonly<Partial<Record<BrandLink, string>>> | undefined;
}

export type BrandLink = 'privacy' | 'terms' | 'imprint' | 'support';

/** What pages show of the operator. */
export interface Brand {
  readonly name: string;
  /** The operator's own; without one, pages show the icon and the name. */
  readonly logo: { readonly url: string; readonly urlDark: string } | undefined;
  readonly links: Readonly<Partial<Record<BrandLink, string>>>;
  /** The colours, as custom properties that the pages' style sheet uses. */
  readonly styleSheet: Asset;
  /** A keyhole on the accent colour, also for the browser's tab. */
  readonly icon: Asset;
}

const DEFAULT_ACCENT = '#3350c8';

/** Colours of a button: `#rrggbb`. */
export interface ButtonColors {
  background: string;
  text: string;
}

/** Returns the accent colour and a text colour that is readable on it, for mails, which have no style sheet. */
export function toButtonColors(accentColor: string = DEFAULT_ACCENT): ButtonColors {
  const accent = parseColor(accentColor);
  if (accent === undefined) throw new Error(`The colour "${accentColor}" must look like ${DEFAULT_ACCENT}.`);
  return { background: writeColor(accent), text: writeColor(textOn(accent)) };
}

/** The backgrounds of `styles/base.css` on which accent-coloured text is hardest to read: light page, dark card. */
export const backgrounds = { light: '#f4f5f7', dark: '#1b1f27' } as const;

// WCAG 2.2: 1.4.3 for text, 1.4.11 for what shows where a control is.
const TEXT_CONTRAST = 4.5;
const CONTROL_CONTRAST = 3;

/** @throws {Error} naming every setting that is not a colour or not an address. */
export function createBrand(settings: BrandSettings): Brand {
  const { name, accentColor = DEFAULT_ACCENT, logoUrl, links = {} } = settings;
  const { accentColorDark = accentColor, logoUrlDark = logoUrl } = settings;
  const light = parseColor(accentColor);
  const dark = parseColor(accentColorDark);
  if (light === undefined || dark === undefined)
    throw new Error(
      `The colours "${accentColor}" and "${accentColorDark}" must look like ${DEFAULT_ACCENT}.`,
    );
  for (const address of [logoUrl, logoUrlDark, ...Object.values(links)])
    if (address !== undefined && safeHref(address) === undefined)
      throw new Error(`"${address}" is not an address that pages may refer to.`);
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
    'accent-edge': readableOn(background, accent, CONTROL_CONTRAST),
    'accent-text': readableOn(background, accent, TEXT_CONTRAST),
  };
  return Object.entries(colors)
    .map(([name, color]) => `    --${name}: ${writeColor(color)};`)
    .join('\n');
}

/** White if it can be read on the colour, else black; one of them always has 4.5, they meet at 4.58. */
function textOn(color: Color): Color {
  return contrast(white, color) >= TEXT_CONTRAST ? white : black;
}

function drawIcon(accent: Color): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="${writeColor(accent)}"/>
<path d="M16 7.5a5 5 0 0 0-2.6 9.27L11.8 24.5h8.4l-1.6-7.73A5 5 0 0 0 16 7.5z" fill="${writeColor(textOn(accent))}"/>
</svg>
`;
}
