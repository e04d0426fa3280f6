import { parseEmail } from '../../mail/email-address.ts';
import { type Role, roles } from '../../values/scopes.ts';
import { type Profile, profileSchema } from '../account/profile.ts';
import type { IdentityProvider } from './identity-provider.ts';

/** User whom a provider has authenticated. */
export interface UpstreamUser {
  issuer: string;
  subject: string;
  /** Normalized. */
  email: string | undefined;
  /** Whether the provider says that the user has this mailbox. */
  isEmailVerified: boolean;
  /** Name at the provider, if it states no address. */
  label: string | null;
  profile: Profile;
  /** Role that the provider determines; `undefined` if it determines none. */
  role: Role | undefined;
  /** Methods (RFC 8176) that count here. */
  methods: readonly string[];
  /** Time of the authentication at the provider, in seconds since the epoch. */
  authTime: number | undefined;
  /** Session at the provider (OpenID Connect Front-Channel Logout 1.0 §3). */
  sid: string | undefined;
}

export type UpstreamClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Longer than those of known providers; it is kept in a cookie until the sign-in is complete. */
const MAX_SID = 255;

/** Converts the verified claims of a provider to its user. */
export function toUpstreamUser(provider: IdentityProvider, claims: UpstreamClaims): UpstreamUser {
  const email = typeof claims.email === 'string' ? parseEmail(claims.email) : undefined;
  const profile = toProfile(provider, claims);
  const { auth_time: authTime, sid } = claims;
  return {
    issuer: provider.issuer,
    subject: claims.sub,
    email,
    isEmailVerified: email !== undefined && saysVerified(provider, claims),
    label: email ?? profile.preferred_username ?? profile.name ?? null,
    profile,
    role: toRole(provider, claims),
    methods: provider.isAuthenticationTrusted ? toMethods(provider, claims) : [],
    authTime: typeof authTime === 'number' && Number.isFinite(authTime) ? Math.floor(authTime) : undefined,
    sid: typeof sid === 'string' && sid !== '' && sid.length <= MAX_SID ? sid : undefined,
  };
}

/** Apple states a boolean as text. */
function saysVerified({ verifiesAddresses }: IdentityProvider, claims: UpstreamClaims): boolean {
  const { email_verified: verified } = claims;
  return verified === true || verified === 'true' || (verified === undefined && verifiesAddresses);
}

/** Returns the members with valid values; a provider's other values must not prevent the sign-in. */
function toProfile({ profileClaims }: IdentityProvider, claims: UpstreamClaims): Profile {
  const { shape } = profileSchema.unwrap();
  const members = Object.entries(profileClaims).flatMap(([member, claim]) => {
    const schema = Object.hasOwn(shape, member) ? shape[member as keyof typeof shape] : undefined;
    const parsed = schema?.safeParse(claims[claim]);
    return parsed?.success && parsed.data !== undefined ? [[member, parsed.data]] : [];
  });
  return Object.fromEntries(members);
}

/** Returns the highest role of the claim's values; `customer` if none has a role. */
function toRole({ roles: mapped }: IdentityProvider, claims: UpstreamClaims): Role | undefined {
  if (!mapped) return undefined;
  const value = mapped.claim.reduce<unknown>(readMember, claims);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const found = values.flatMap((each) =>
    typeof each === 'string' && Object.hasOwn(mapped.values, each) ? (mapped.values[each] ?? []) : [],
  );
  return roles.findLast((role) => found.includes(role)) ?? 'customer';
}

function readMember(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}

/** Authentication methods of RFC 8176 §2. */
const registeredMethods = [
  ...['face', 'fpt', 'geo', 'hwk', 'iris', 'kba', 'mca', 'mfa', 'otp', 'pin', 'pop', 'pwd', 'rba', 'retina'],
  ...['sc', 'sms', 'swk', 'tel', 'user', 'vbm', 'wia'],
];

function toMethods({ multiFactorAcrs }: IdentityProvider, { amr, acr }: UpstreamClaims): readonly string[] {
  const given: unknown[] = Array.isArray(amr) ? amr : [];
  const methods = registeredMethods.filter((each) => given.includes(each));
  const isMultiFactor = typeof acr === 'string' && multiFactorAcrs.includes(acr);
  return isMultiFactor && !methods.includes('mfa') ? [...methods, 'mfa'] : methods;
}
