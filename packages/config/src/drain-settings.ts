import type { z } from 'zod';
import type { Config } from './config.ts';
import { type nodeEnvironment, wholeNumber } from './values.ts';

const PRODUCTION_DRAIN_SECONDS = 5;

/** How long a program serves on after it was asked to stop, so that balancers learn of it. */
export const drainSettings = {
  drainSeconds: {
    env: 'DRAIN_SECONDS',
    schema: wholeNumber(0, 600)
      .optional()
      .describe(
        'Time in seconds from SIGTERM, when `/readyz` turns 503, to the end of service; default: 5 in production, else 0',
      ),
  },
} as const;

/** The drain period in seconds: by default long enough for the health checks of a balancer in production alone. */
export function drainSecondsOf(
  { drainSeconds }: Config<typeof drainSettings>,
  environment: z.output<typeof nodeEnvironment>,
): number {
  return drainSeconds ?? (environment === 'production' ? PRODUCTION_DRAIN_SECONDS : 0);
}
