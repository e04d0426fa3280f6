import { type Config, wholeNumber, yesOrNo } from '@keydesk/config';
import { z } from 'zod';

const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

/** The settings of dynamic client registration (RFC 7591, RFC 7592). */
export const registrationSettings = {
  isRegistrationOffered: {
    env: 'DYNAMIC_REGISTRATION',
    schema: yesOrNo
      .default(true)
      .describe(
        'Whether programs may register clients, with an initial access token (`keydesk registration-token add`)',
      ),
  },
  registrationGrantTypes: {
    env: 'DYNAMIC_REGISTRATION_GRANT_TYPES',
    schema: z
      .string()
      .default('authorization_code refresh_token')
      .transform((text) => text.split(/[\s,]+/).filter(Boolean))
      .pipe(z.array(z.enum(grantTypes, `must be some of ${grantTypes.join(', ')}`)).min(1, 'names none'))
      .describe(
        'What clients registered by programs may use; `client_credentials` allows machines, which have no role',
      ),
  },
  registrationRateLimitPerAddress: {
    env: 'DYNAMIC_REGISTRATION_RATE_LIMIT_PER_ADDRESS',
    schema: wholeNumber(0, 1_000_000)
      .default(20)
      .describe('Requests a minute of one address to register or manage a client; 0 for no limit'),
  },
  registrationIdleDays: {
    env: 'DYNAMIC_REGISTRATION_IDLE_DAYS',
    schema: wholeNumber(0, 3_650)
      .default(90)
      .describe('Clients registered by programs are removed that have got no token for so long; 0: never'),
  },
} as const;

export type RegistrationConfig = Config<typeof registrationSettings>;
