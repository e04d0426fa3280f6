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
        'Whether clients can be registered dynamically with an initial access token (`keydesk registration-token add`)',
      ),
  },
  registrationGrantTypes: {
    env: 'DYNAMIC_REGISTRATION_GRANT_TYPES',
    schema: z
      .string()
      .default('authorization_code refresh_token')
      .transform((text) => text.split(/[\s,]+/).filter(Boolean))
      .pipe(
        z.array(z.enum(grantTypes, `must only contain ${grantTypes.join(', ')}`)).min(1, 'must not be empty'),
      )
      .describe(
        'Grant types of dynamically registered clients; `client_credentials` allows machine clients, which have no role',
      ),
  },
  registrationRateLimitPerAddress: {
    env: 'DYNAMIC_REGISTRATION_RATE_LIMIT_PER_ADDRESS',
    schema: wholeNumber(0, 1_000_000)
      .default(20)
      .describe('Requests per minute and address to register or manage a client; 0: no limit'),
  },
  registrationIdleDays: {
    env: 'DYNAMIC_REGISTRATION_IDLE_DAYS',
    schema: wholeNumber(0, 3_650)
      .default(90)
      .describe('Days without a token after which a dynamically registered client is removed; 0: never'),
  },
} as const;

export type RegistrationConfig = Config<typeof registrationSettings>;
