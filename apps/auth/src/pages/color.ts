/** Color in sRGB: red, green and blue, each 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

export const black: Color = [0, 0, 0];
export const white: Color = [255, 255, 255];

/** Parses `#rrggbb`, the only notation in settings, so that no other text can reach a style sheet. */
export function parseColor(text: string): Color | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return undefined;
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Formats a color as `#rrggbb`. */
export function formatColor(color: Color): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the contrast ratio of two colors, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(a: Color, b: Color): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(color: Color): number {
  const [red, green, blue] = color.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Mixes two colors; `share` (0 to 1) is the part of `other`. */
export function mix(color: Color, other: Color, share: number): Color {
  const channel = (i: 0 | 1 | 2) => Math.round(color[i] + (other[i] - color[i]) * share);
  return [channel(0), channel(1), channel(2)];
}

/** Returns the color nearest to `color`, towards black or white, that has a contrast of `ratio` on `background`. */
export function toReadableColor(background: Color, color: Color, ratio: number): Color {
  const target = contrast(white, background) > contrast(black, background) ? white : black;
  const steps = Array.from({ length: 51 }, (_, i) => mix(color, target, i / 50));
  return steps.find((step) => contrast(step, background) >= ratio) ?? target;
}
