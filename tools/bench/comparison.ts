import { type Load, type Measured, measure, median } from './load.ts';

/** Keydesk and its baseline under the same load. */
export interface Comparison {
  name: string;
  target: number | undefined;
  keydesk: Load;
  baseline: Load;
}

export interface Rounds {
  rounds: number;
  seconds: number;
}

/** One line of the results; a missing figure is null. */
export interface Result {
  case: string;
  ratio: number | null;
  to_reach: number | null;
  keydesk_per_second: number | null;
  baseline_per_second: number | null;
  keydesk_p99_ms: number | null;
}

/** Time until the functions of a request are fully compiled; before that, it costs twice as much. */
const WARM_UP_SECONDS = 3;

/** Measures both alternately in several rounds. */
export async function compare(
  { name, target, keydesk, baseline }: Comparison,
  { rounds, seconds }: Rounds,
): Promise<Result> {
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  await measure(keydesk, WARM_UP_SECONDS);
  await measure(baseline, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round++) {
    ours.push(await measure(keydesk, seconds));
    theirs.push(await measure(baseline, seconds));
  }
  return { case: name, to_reach: target ?? null, ...toFigures(ours, theirs) };
}

/**
 * Computes the figures of alternating rounds. The ratio is the median of the ratios per round: both runs of a round are
 * seconds apart, so other load on the machine affects both equally.
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
    baseline_per_second: perSecond(theirs),
    keydesk_p99_ms: median(ours.map((run) => run.p99Milliseconds)),
  };
}
