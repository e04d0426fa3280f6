/** Parses a number in JSON notation (RFC 8259 §6); `undefined` for any other text. */
export function toNumber(text: string): number | undefined {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

export function toBoolean(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}
