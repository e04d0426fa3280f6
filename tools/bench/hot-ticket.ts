import { type Result, type Rounds, toFigures } from './comparison.ts';
import { type Measured, median, runGenerator } from './load.ts';

/** Load of measured connections and of background connections that change one ticket, or one each. */
export interface HotTicketLoad {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Tickets of the measured connections, one each. */
  measured: readonly string[];
  /** Ticket that each background connection changes. */
  background: readonly string[];
}

/** Figures of the measured connections and results of the background changes. */
export interface HotTicketMeasured extends Measured {
  backgroundChanges: number;
  refused: number;
}

/** Number of connections, each of which needs a ticket. */
export const CONNECTIONS = 500;
const WRITERS = CONNECTIONS / 10;
const WARM_UP_SECONDS = 3;

/**
 * Measures 450 connections that read and change their own tickets while 50 others change the same ticket. The baseline
 * has 50 others that change one ticket each.
 */
export async function measureHotTicket(
  { api, headers, ids }: { api: string; headers: Readonly<Record<string, string>>; ids: readonly string[] },
  { rounds, seconds }: Rounds,
): Promise<Result[]> {
  const watched = ids.slice(WRITERS, CONNECTIONS);
  const separate: HotTicketLoad = { url: api, headers, measured: watched, background: ids.slice(0, WRITERS) };
  const hot: HotTicketLoad = { ...separate, background: Array(WRITERS).fill(ids[0]) };
  const run = (load: HotTicketLoad, length: number) =>
    runGenerator<HotTicketMeasured>('hot-ticket-generator.ts', { ...load, seconds: length });

  await run(separate, WARM_UP_SECONDS);
  const withHot: HotTicketMeasured[] = [];
  const without: HotTicketMeasured[] = [];
  for (let round = 0; round < rounds; round++) {
    withHot.push(await run(hot, seconds));
    without.push(await run(separate, seconds));
  }
  const p99 = (runs: readonly Measured[]) => median(runs.map((each) => each.p99Milliseconds));
  const p99Ratios = withHot.map(
    (each, i) => each.p99Milliseconds / (without[i]?.p99Milliseconds ?? Number.NaN),
  );
  const changes = withHot.map(
    ({ backgroundChanges: changesBeside, refused }) => `${changesBeside} made, ${refused} refused`,
  );
  console.log(`changes of the hot ticket, by round: ${changes.join('; ')}`);
  return [
    {
      case: 'p99 beside a hot ticket (at most)',
      ratio: median(p99Ratios),
      to_reach: 2,
      keydesk_per_second: null,
      baseline_per_second: null,
      keydesk_p99_ms: p99(withHot),
    },
    { case: 'requests beside a hot ticket', to_reach: null, ...toFigures(withHot, without) },
  ];
}
