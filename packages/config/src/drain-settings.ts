import type { z } from 'zod';
import type { Config } from './config.ts';
import { type nodeEnvironment, wholeNumber } from './values.ts';

const PRODUCTION_DRAIN_SECONDS = 5;

/** Setting for the drain period: time after SIGTERM in which load balancers detect the shutdown. */
export const drainSettings = {
  drainSeconds: {
    env: 'DRAIN_SECONDS',
    schema: wholeNumber(0, 600)
      .optional()
      .describe(
        'Seconds between SIGTERM, when `/readyz` turns 503, and the end of service; default: 5 in production, else 0',
      ),
  },
} as const;

/** Returns the drain period in seconds; the default is non-zero in production only. */
export function drainSecondsOf(
  { drainSeconds }: Config<typeof drainSettings>,
  environment: z.output<typeof nodeEnvironment>,
): number {
  return drainSeconds ?? (environment === 'production' ? PRODUCTION_DRAIN_SECONDS : 0);
}
