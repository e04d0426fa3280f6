import type { CliContext } from './context.ts';

const BAR_WIDTH = 30;
const LINE_EVERY_MS = 10_000;
const BAR_EVERY_MS = 200;

/** Reports progress. */
export type Progress = (done: number) => void;

/** Creates a progress bar on a terminal, or else a line of output every ten seconds. Always reports the end. */
export function createProgress(
  { printError, isTerminal }: Pick<CliContext, 'printError' | 'isTerminal'>,
  { total, what }: { total: number; what: string },
): Progress {
  const startedAt = performance.now();
  const interval = isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS;
  let reportedAt = startedAt;
  return (done) => {
    const now = performance.now();
    if (done < total && now - reportedAt < interval) return;
    reportedAt = now;
    const seconds = (now - startedAt) / 1000;
    const text = `${done} of ${total} ${what}, ${Math.round(done / seconds)}/s, ${Math.round(seconds)} s`;
    if (!isTerminal) printError(`${text}\n`);
    else printError(`\r${toBar(done / total)} ${text}\u{1b}[K${done < total ? '' : '\n'}`);
  };
}

function toBar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}
