import { type Config, yesOrNo } from '@keydesk/config';

/** The settings of what OpenID Connect's certification asks for and RFC 9700 advises against. */
export const conformanceSettings = {
  isConformanceProfile: {
    env: 'CONFORMANCE_PROFILE',
    schema: yesOrNo
      .default(false)
      .describe(
        'For the OpenID conformance suite only: confidential clients without PKCE, errors that redirect to any client, ID tokens without claims of scopes, POST at `/auth` and `/session/end`, registration by anybody',
      ),
  },
  isConformanceProfileInProduction: {
    env: 'CONFORMANCE_PROFILE_IN_PRODUCTION',
    schema: yesOrNo.default(false).describe('Whether `CONFORMANCE_PROFILE` may be on in production'),
  },
} as const;

export type ConformanceConfig = Config<typeof conformanceSettings>;

/** Why settings with the profile are refused in production. */
export function conformanceFaults({
  mode,
  isConformanceProfile,
  isConformanceProfileInProduction,
}: Partial<ConformanceConfig> & { mode?: string }): string[] {
  if (mode !== 'production' || !isConformanceProfile || isConformanceProfileInProduction) return [];
  return [
    'CONFORMANCE_PROFILE: weakens the server for a test suite; in production it needs CONFORMANCE_PROFILE_IN_PRODUCTION=true as well',
  ];
}

type Profile = Pick<ConformanceConfig, 'isConformanceProfile'>;

/** Whether programs may register clients, whoever gates it. */
export function offersRegistration(config: Profile & { isRegistrationOffered: boolean }): boolean {
  return config.isRegistrationOffered || config.isConformanceProfile;
}
