import { type Load, type Measured, measure, median } from './load.ts';

/** Keydesk and its yardstick under the same load. */
export interface Comparison {
  name: string;
  toReach: number | undefined;
  keydesk: Load;
  yardstick: Load;
}

export interface Rounds {
  rounds: number;
  seconds: number;
}

/** One line of the results. What a case has no figure for is null. */
export interface Result {
  case: string;
  ratio: number | null;
  to_reach: number | null;
  keydesk_per_second: number | null;
  yardstick_per_second: number | null;
  keydesk_p99_ms: number | null;
}

/** Until the functions that a request runs are compiled for good, it costs twice what it will. */
const WARM_UP_SECONDS = 3;

/** Loads both in turn, several rounds. */
export async function compare(
  { name, toReach, keydesk, yardstick }: Comparison,
  { rounds, seconds }: Rounds,
): Promise<Result> {
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  await measure(keydesk, WARM_UP_SECONDS);
  await measure(yardstick, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    ours.push(await measure(keydesk, seconds));
    theirs.push(await measure(yardstick, seconds));
  }
  return { case: name, to_reach: toReach ?? null, ...toFigures(ours, theirs) };
}

/**
 * The figures of rounds that took turns. The ratio is the median of the rounds' own: the two of a round ran within
 * seconds of each other, so that what else the machine had to do meant as much to both.
 */
export function toFigures(
  ours: readonly Measured[],
  theirs: readonly Measured[],
): Omit<Result, 'case' | 'to_reach'> {
  const perSecond = (runs: readonly Measured[]) => median(runs.map((run) => run.requestsPerSecond));
  const ratios = ours.map((run, i) => run.requestsPerSecond / (theirs[i]?.requestsPerSecond ?? Number.NaN));
  return {
    ratio: median(ratios),
    keydesk_per_second: perSecond(ours),
    yardstick_per_second: perSecond(theirs),
    keydesk_p99_ms: median(ours.map((run) => run.p99Milliseconds)),
  };
}
