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

/** Loads both in turn, several rounds; the ratio is that of the medians. */
export async function compare(
  { name, toReach, keydesk, yardstick }: Comparison,
  { rounds, seconds }: Rounds,
): Promise<Result> {
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  await measure(keydesk, 1);
  await measure(yardstick, 1);
  for (let round = 0; round < rounds; round++) {
    ours.push(await measure(keydesk, seconds));
    theirs.push(await measure(yardstick, seconds));
  }
  const perSecond = (runs: readonly Measured[]) => median(runs.map((run) => run.requestsPerSecond));
  return {
    case: name,
    ratio: perSecond(ours) / perSecond(theirs),
    to_reach: toReach ?? null,
    keydesk_per_second: perSecond(ours),
    yardstick_per_second: perSecond(theirs),
    keydesk_p99_ms: median(ours.map((run) => run.p99Milliseconds)),
  };
}
