import type { Config } from '@keydesk/config';
import { z } from 'zod';

const error = 'must be a whole number from 0 to 1000';

/** The settings of the developers' portal. */
export const portalSettings = {
  maxApplicationsPerAccount: {
    env: 'MAX_APPLICATIONS_PER_ACCOUNT',
    schema: z.coerce
      .number(error)
      .int(error)
      .min(0, error)
      .max(1_000, error)
      .default(20)
      .describe('Applications that a person may register; 0: only operators register them'),
  },
} as const;

export type PortalConfig = Config<typeof portalSettings>;
