import { wholeNumber } from '@keydesk/config';
import { z } from 'zod';
import { type Role, roles } from '../../values/scopes.ts';

const isRole = (text: string): text is Role => roles.some((role) => role === text);

/** Settings of second factors. */
export const factorSettings = {
  secondFactorRequiredFor: {
    env: 'SECOND_FACTOR_REQUIRED_FOR',
    schema: z
      .string()
      .transform((text) => (text.trim() === 'none' ? [] : text.split(',').map((each) => each.trim())))
      .refine((names) => names.every(isRole), `must be \`none\` or a list of ${roles.join(', ')}`)
      .transform((names): readonly Role[] => names.filter(isRole))
      .optional()
      .describe(
        'Roles whose users must have a second factor, separated by commas, or `none`; default: `agent,admin` in production, otherwise `none`',
      ),
  },
  secondFactorGraceDays: {
    env: 'SECOND_FACTOR_GRACE_DAYS',
    schema: wholeNumber(0, 365)
      .default(0)
      .describe(
        'Days for which users can postpone a required second factor, from the first sign-in that requires it; 0: set up at that sign-in',
      ),
  },
} as const;
