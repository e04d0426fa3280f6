import * as oidc from 'openid-client';
import { z } from 'zod';
import type { UpstreamClaims } from '../../accounts/identities/upstream-user.ts';

/** Returns the endpoints of GitHub or of a GitHub Enterprise Server, which have no discovery. */
export function gitHubMetadata(issuer: string): oidc.ServerMetadata {
  return {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  };
}

const userSchema = z.object({ id: z.int() }).loose();
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Fetches the user and the primary address. The numeric id is the subject, because names are reassigned. */
export async function fetchGitHubClaims(
  configuration: oidc.Configuration,
  accessToken: string,
  issuer: string,
): Promise<UpstreamClaims> {
  const api = issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`;
  const headers = new Headers({ Accept: 'application/vnd.github+json', 'User-Agent': 'keydesk' });
  const get = async (path: string): Promise<unknown> => {
    const url = new URL(api + path);
    const response = await oidc.fetchProtectedResource(configuration, accessToken, url, 'GET', null, headers);
    if (!response.ok) throw new Error(`GitHub responded with ${response.status}.`);
    return response.json();
  };
  const user = userSchema.parse(await get('/user'));
  const emails = emailsSchema.parse(await get('/user/emails'));
  const primary = emails.find((each) => each.primary);
  // The public address of the profile is not verified.
  const { email: _public, ...claims } = user;
  return {
    ...claims,
    sub: String(user.id),
    ...(primary && { email: primary.email, email_verified: primary.verified }),
  };
}
