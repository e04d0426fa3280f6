/** Formats rows as a table with aligned columns. */
export function toTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return toLines(
    lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')),
  );
}

/** Formats names and values, one pair per line. */
export function toList(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return toLines(pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`));
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Formats a time to the second, in UTC. */
export function formatTime(time: Date | null | undefined): string {
  return time ? `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC` : 'never';
}
