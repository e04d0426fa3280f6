import { type Config, wholeNumber } from '@keydesk/config';

/** The settings of the developer portal. */
export const portalSettings = {
  maxApplicationsPerAccount: {
    env: 'MAX_APPLICATIONS_PER_ACCOUNT',
    schema: wholeNumber(0, 1_000)
      .default(20)
      .describe('Number of applications that a user may register; 0: only operators register them'),
  },
} as const;

export type PortalConfig = Config<typeof portalSettings>;
