/** A colour in sRGB: red, green and blue, each 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

export const black: Color = [0, 0, 0];
export const white: Color = [255, 255, 255];

/** Reads `#rrggbb`, the only notation that settings may use: nothing else can reach a style sheet. */
export function parseColor(text: string): Color | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return undefined;
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** `#rrggbb`. */
export function writeColor(color: Color): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(a: Color, b: Color): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(color: Color): number {
  const [red, green, blue] = color.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** `color` with `share` (0 to 1) of `other` in it. */
export function mix(color: Color, other: Color, share: number): Color {
  const channel = (i: 0 | 1 | 2) => Math.round(color[i] + (other[i] - color[i]) * share);
  return [channel(0), channel(1), channel(2)];
}

/** The colour nearest to `color`, on its way to black or white, that has `ratio` of contrast on `background`. */
export function readableOn(background: Color, color: Color, ratio: number): Color {
  const target = contrast(white, background) > contrast(black, background) ? white : black;
  const steps = Array.from({ length: 51 }, (_, i) => mix(color, target, i / 50));
  return steps.find((step) => contrast(step, background) >= ratio) ?? target;
}
