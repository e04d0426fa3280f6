import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from './world.ts';

/** Figures of one kind of request. */
export interface KindFigures {
  kind: string;
  medianMs: number;
  p99Ms: number;
  /** Share of the requests with the expected response, 0 to 1. */
  succeeded: number;
}

/** Figures of one rate. */
export interface StageFigures {
  rate: number;
  requestsPerSecond: number;
  /** Work that k6 could not begin in time, because the servers were too slow. */
  dropped: number;
  kinds: readonly KindFigures[];
}

interface Metric {
  rate?: number;
  count?: number;
  value?: number;
  med?: number;
  'p(99)'?: number;
}

const SCENARIOS = join(import.meta.dirname, 'scenarios.js');
export const kinds = ['signIn', 'refresh', 'machineToken', 'inbox', 'create'] as const;

/** Sends the mixture at one rate for some seconds. @throws {Error} when k6 fails */
export async function runStage(
  program: string,
  { world, rate, seconds, folder }: { world: World; rate: number; seconds: number; folder: string },
): Promise<StageFigures> {
  const summary = join(folder, `summary-${rate}.json`);
  const variables = { WORLD: JSON.stringify(world), RATE: String(rate), SECONDS: String(seconds) };
  const child = spawn(program, ['run', '--quiet', '--no-color', '--summary-export', summary, SCENARIOS], {
    env: { ...process.env, ...variables, K6_NO_USAGE_REPORT: 'true' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let faults = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    faults += text;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`k6 ended with ${code}:\n${faults}`);
  const { metrics } = JSON.parse(readFileSync(summary, 'utf8')) as { metrics: Record<string, Metric> };
  return {
    rate,
    requestsPerSecond: metrics.http_reqs?.rate ?? 0,
    dropped: metrics.dropped_iterations?.count ?? 0,
    kinds: kinds.map((kind) => {
      const { med = 0, 'p(99)': p99 = 0 } = metrics[`http_req_duration{kind:${kind}}`] ?? {};
      const succeeded = metrics[`checks{kind:${kind}}`]?.value ?? 0;
      return { kind, medianMs: med, p99Ms: p99, succeeded };
    }),
  };
}
