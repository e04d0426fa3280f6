import type { ProviderEntry } from './provider-entry.ts';

export const presetNames = ['google', 'microsoft', 'apple', 'github'] as const;
export type PresetName = (typeof presetNames)[number];

type Preset = (entry: Partial<ProviderEntry>) => Partial<ProviderEntry>;

/** Members that a provider's documentation determines; those of the entry take precedence. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  google: () => ({
    name: 'Google',
    issuer: 'https://accounts.google.com',
    // For other domains Google is authoritative only as the host of a Workspace, which the operator lists.
    trusted_domains: ['gmail.com', 'googlemail.com'],
    can_reauthenticate: false,
  }),
  // Addresses have no `email_verified`, and the administrator of any tenant can invent them: a single tenant only.
  microsoft: ({ tenant }) => ({
    name: 'Microsoft',
    ...(tenant !== undefined && { issuer: `https://login.microsoftonline.com/${tenant}/v2.0` }),
    client_authentication: 'client_secret_post',
    offer_log_out: true,
  }),
  apple: () => ({
    name: 'Apple',
    issuer: 'https://appleid.apple.com',
    scopes: ['openid', 'email'],
    client_authentication: 'apple',
    // Apple refuses other modes if any claim is requested.
    response_mode: 'form_post',
    trusted_domains: ['privaterelay.appleid.com', 'icloud.com', 'me.com', 'mac.com'],
    can_reauthenticate: false,
  }),
  github: () => ({
    name: 'GitHub',
    issuer: 'https://github.com',
    protocol: 'github',
    scopes: ['read:user', 'user:email'],
    client_authentication: 'client_secret_post',
    profile_claims: { name: 'name', preferred_username: 'login', picture: 'avatar_url', profile: 'html_url' },
    can_reauthenticate: false,
  }),
};
