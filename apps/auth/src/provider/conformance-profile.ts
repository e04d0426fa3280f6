import { type Config, yesOrNo } from '@keydesk/config';

/** Settings of the conformance profile: what OpenID certification requires and RFC 9700 advises against. */
export const conformanceSettings = {
  isConformanceProfile: {
    env: 'CONFORMANCE_PROFILE',
    schema: yesOrNo
      .default(false)
      .describe(
        'For the OpenID conformance suite only: allows confidential clients without PKCE, redirects errors to any client, omits claims of scopes from ID tokens, accepts POST at `/auth` and `/session/end`, opens client registration',
      ),
  },
  isConformanceProfileInProduction: {
    env: 'CONFORMANCE_PROFILE_IN_PRODUCTION',
    schema: yesOrNo.default(false).describe('Allow `CONFORMANCE_PROFILE` in production'),
  },
} as const;

export type ConformanceConfig = Config<typeof conformanceSettings>;

/** Returns why a production server rejects the profile. */
export function findConformanceFaults({
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

/** Whether dynamic client registration is available, under any policy. */
export function isRegistrationEnabled(config: Profile & { isRegistrationOffered: boolean }): boolean {
  return config.isRegistrationOffered || config.isConformanceProfile;
}
