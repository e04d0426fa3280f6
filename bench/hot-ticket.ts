import { type Result, type Rounds, toFigures } from './comparison.ts';
import { type Measured, median, runGenerator } from './load.ts';

/** Some connections are watched; the changes of others beside them are of one ticket, or of one each. */
export interface HotTicketLoad {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The tickets of the watched connections, one each. */
  watched: readonly string[];
  /** The ticket that each other connection changes. */
  beside: readonly string[];
}

/** The figures of the watched connections, and the outcome beside them. */
export interface HotTicketMeasured extends Measured {
  changesBeside: number;
  refused: number;
}

/** How many connections there are, each of which needs a ticket. */
export const CONNECTIONS = 500;
const WRITERS = CONNECTIONS / 10;
const WARM_UP_SECONDS = 3;

/**
 * Measures the latency and throughput of 450 connections that read and change tickets of their own while 50 more change one and the
 * same ticket, against 50 that change one each.
 */
export async function measureHotTicket(
  { api, headers, ids }: { api: string; headers: Readonly<Record<string, string>>; ids: readonly string[] },
  { rounds, seconds }: Rounds,
): Promise<Result[]> {
  const watched = ids.slice(WRITERS, CONNECTIONS);
  const apart: HotTicketLoad = { url: api, headers, watched, beside: ids.slice(0, WRITERS) };
  const hot: HotTicketLoad = { ...apart, beside: Array(WRITERS).fill(ids[0]) };
  const run = (load: HotTicketLoad, length: number) =>
    runGenerator<HotTicketMeasured>('hot-ticket-generator.ts', { ...load, seconds: length });

  await run(apart, WARM_UP_SECONDS);
  const withHot: HotTicketMeasured[] = [];
  const without: HotTicketMeasured[] = [];
  for (let round = 0; round < rounds; round++) {
    withHot.push(await run(hot, seconds));
    without.push(await run(apart, seconds));
  }
  const p99 = (runs: readonly Measured[]) => median(runs.map((each) => each.p99Milliseconds));
  const p99Ratios = withHot.map(
    (each, i) => each.p99Milliseconds / (without[i]?.p99Milliseconds ?? Number.NaN),
  );
  const changes = withHot.map(({ changesBeside, refused }) => `${changesBeside} made, ${refused} refused`);
  console.log(`changes of the hot ticket, by round: ${changes.join('; ')}`);
  return [
    {
      case: 'p99 beside a hot ticket (at most)',
      ratio: median(p99Ratios),
      to_reach: 2,
      keydesk_per_second: null,
      yardstick_per_second: null,
      keydesk_p99_ms: p99(withHot),
    },
    { case: 'requests beside a hot ticket', to_reach: null, ...toFigures(withHot, without) },
  ];
}
