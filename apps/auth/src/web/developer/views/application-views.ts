import { calculateJwkThumbprint } from 'jose';
import { type ClientSecurity, MAX_SECRETS } from '../../../clients/client.ts';
import { defaultSecurity } from '../../../clients/client-security.ts';
import type { ClientWithSecret } from '../../../clients/clients.ts';
import {
  MAX_LOGO_BYTES,
  MAX_LOGO_SIDE,
  MIN_LOGO_SIDE,
  toLogoPath,
} from '../../../clients/logo/client-logo.ts';
import { listLiveSecrets, usesSecret } from '../../../clients/secret-list.ts';
import type {
  ApplicationsView,
  ApplicationView,
  LogoView,
  PublicKey,
  SecretShownView,
} from '../../../pages/views/applications.ts';
import { routes } from '../../../provider/routes.ts';
import type { Application } from '../portal/applications.ts';
import { applicationsPath, pathsOf } from '../portal/paths.ts';

/** Returns the URLs that developers enter into client libraries, and those of the snippets. */
export function toServerUrls({ issuer, apiAudience }: { issuer: string; apiAudience: string }) {
  const apiBaseUrl = apiAudience.replace(/\/$/, '');
  return {
    issuer,
    discoveryUrl: issuer + routes.openidConfiguration,
    authorizationEndpoint: issuer + routes.authorization,
    tokenEndpoint: issuer + routes.token,
    userinfoEndpoint: issuer + routes.userinfo,
    jwksUri: issuer + routes.jwks,
    apiBaseUrl,
    exampleUrl: `${apiBaseUrl}/tickets.json`,
  } satisfies ApplicationView['server'];
}

export function toListItem(
  application: Application,
  accountId: string,
): ApplicationsView['applications'][number] {
  const { id, name, type, isVerified, status, owner, createdAt } = application;
  return {
    id,
    name,
    logo: toLogoPath(application),
    type,
    isVerified,
    isDisabled: status === 'disabled',
    isCoOwned: owner !== accountId,
    createdAt,
    href: pathsOf(id).show,
  };
}

/** Converts an application to the view of its page for an account, without expired secrets. */
export async function toApplicationView(
  application: Application,
  { accountId, now }: { accountId: string; now: Date },
) {
  const listed = toListItem(application, accountId);
  const { id, homePage, policyUri, tosUri, security } = application;
  const paths = pathsOf(id);
  const secrets = listLiveSecrets(application, now);
  const mayHaveMore = usesSecret(application) && secrets.length < MAX_SECRETS;
  return {
    application: {
      ...listed,
      authMethod: application.authMethod,
      homePage: homePage ?? undefined,
      policyUri: policyUri ?? undefined,
      tosUri: tosUri ?? undefined,
      redirectUris: application.redirectUris,
      postLogoutRedirectUris: application.postLogoutRedirectUris,
      backchannelLogoutUri: application.backchannelLogoutUri ?? undefined,
      initiateLoginUri: application.initiateLoginUri ?? undefined,
      authorizationResponseAlgorithm: chosenResponseAlgorithm(security),
      keys: await Promise.all((application.jwks?.keys ?? []).map(toKeyView)),
      isHardened: isHardened(security),
      scopes: application.scopes,
      role: application.role,
      secrets: secrets.map(({ digest: _, ...secret }) => ({
        ...secret,
        removeAction: paths.removeSecret(secret.id),
      })),
    },
    addSecretAction: mayHaveMore ? paths.addSecret : undefined,
    links: {
      show: paths.show,
      edit: paths.edit,
      remove: listed.isCoOwned ? undefined : paths.remove,
      applications: applicationsPath,
    },
  } satisfies Partial<ApplicationView>;
}

function chosenResponseAlgorithm({ authorizationResponseAlgorithm: chosen }: ClientSecurity) {
  return chosen === defaultSecurity.authorizationResponseAlgorithm ? undefined : chosen;
}

function isHardened(security: ClientSecurity): boolean {
  const { dpopBoundAccessTokens, requirePushedAuthorizationRequests, requireSignedRequestObject } = security;
  const isBoundOrPushed = dpopBoundAccessTokens || requirePushedAuthorizationRequests;
  return security.profile !== null || isBoundOrPushed || requireSignedRequestObject;
}

/** Converts a validated key to its view. */
async function toKeyView(jwk: Readonly<Record<string, unknown>>) {
  const { kid, kty, crv, alg } = jwk as Readonly<Record<string, unknown>> & PublicKey;
  return { kid, kty, crv, alg, thumbprint: await calculateJwkThumbprint(jwk) };
}

/** Converts a new secret to the view of the page that shows it once. */
export function toSecretShownView({ client, secret }: ClientWithSecret & { secret: string }) {
  const { id, name, secrets } = client;
  const ends = secrets.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
  return {
    application: { id, name },
    secret,
    oldSecretExpiresAt: ends[0],
    links: { goOn: pathsOf(id).show },
  } satisfies Omit<SecretShownView, 'shell'>;
}

export type LogoProblem = NonNullable<LogoView['form']['problems']>[number];

const limits = { kilobytes: MAX_LOGO_BYTES / 1_000, min: MIN_LOGO_SIDE, max: MAX_LOGO_SIDE };

/** Builds the view of an application's logo forms, with the problems of the posted file. */
export function toLogoView(
  { id, logoDigest }: Application,
  csrf: string,
  problems?: readonly LogoProblem[],
): LogoView {
  const paths = pathsOf(id);
  return {
    form: { action: paths.logo, csrf, problems },
    removeAction: logoDigest === null ? undefined : paths.removeLogo,
    limits,
  };
}

/** Converts a fault of an uploaded file to a problem with a message of the page. */
export function toLogoProblem(code: string): LogoProblem {
  switch (code) {
    case 'logo_missing':
    case 'logo_unsupported':
    case 'logo_damaged':
    case 'logo_animated':
      return { field: 'logo', code };
    case 'logo_too_large':
    case 'logo_dimensions':
      return { field: 'logo', code, values: limits };
    default:
      return { field: 'logo', code: 'upload_invalid' };
  }
}
