import { isLoopback } from '@keydesk/config';
import { importPKCS8, SignJWT } from 'jose';
import * as oidc from 'openid-client';
import type {
  IdentityProvider,
  ProviderAuthentication,
} from '../../accounts/identities/identity-provider.ts';
import { toUpstreamUser, type UpstreamUser } from '../../accounts/identities/upstream-user.ts';
import { fetchGitHubClaims, gitHubMetadata } from './github.ts';

export interface UpstreamClientOptions {
  /** `fetch` with limits of time and size. */
  fetch: oidc.CustomFetch;
  now: () => Date;
}

/** Values that bind the response of a provider to its request (RFC 9700 §2.1). */
export interface ResponseChecks {
  state: string;
  nonce: string;
  verifier: string;
}

export interface AuthenticationRequest {
  checks: ResponseChecks;
  redirectUri: string;
  loginHint?: string | undefined;
  /** Whether the provider must ask the user again. */
  isAgain: boolean;
}

/** Client of the providers (OpenID Connect Core §3.1). */
export interface UpstreamClient {
  /** Returns the URL of the authentication request. @throws {UpstreamError} `unavailable` */
  begin(provider: IdentityProvider, request: AuthenticationRequest): Promise<URL>;
  /** Verifies the response, redeems its code and verifies the ID token. @throws {UpstreamError} */
  finish(provider: IdentityProvider, callback: URL, request: AuthenticationRequest): Promise<UpstreamUser>;
  /** Returns the URL at which the user logs out; `undefined` if the provider has none. @throws {UpstreamError} */
  findLogOutUrl(provider: IdentityProvider, returnTo: string): Promise<URL | undefined>;
  /** Returns the URL of the provider's keys. @throws {UpstreamError} `unavailable` */
  findJwksUri(provider: IdentityProvider): Promise<string | undefined>;
}

/** Failed sign-in at a provider. The cause may contain personal data and is not logged. */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
  readonly reason: 'denied' | 'unavailable' | 'invalid';
  /** Code of the failed check. */
  readonly code: string;

  constructor(reason: UpstreamError['reason'], code: string, options?: ErrorOptions) {
    super(`The sign-in at the provider failed: ${code}.`, options);
    this.reason = reason;
    this.code = code;
  }
}

const METADATA_TTL_MS = 600_000;
/** Shields a provider that is down, and this server's connections. */
const FAILURE_TTL_MS = 5_000;
const CLOCK_TOLERANCE_SECONDS = 60;
const SECRET_TTL_SECONDS = 300;
/** Maximum age of an authentication that the user was asked for; longer than the user may take. */
export const REQUEST_TTL_SECONDS = 600;
/**
 * Longer than a session at a provider lasts, so that no user has to sign in again. With `max_age`, the provider must
 * state the time of the authentication (OpenID Connect Core §2, `auth_time`); many state it only then.
 */
const ANY_AGE_SECONDS = '31536000';

export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { now } = options;
  const findMetadata = createMetadataCache(options);

  /** Each request has a configuration of its own, so that the key set of the provider is the current one. */
  async function configure(provider: IdentityProvider): Promise<oidc.Configuration> {
    const metadata = await findMetadata(provider);
    const { clientId, idTokenAlgorithm, authentication } = provider;
    const client = {
      id_token_signed_response_alg: idTokenAlgorithm,
      [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    };
    const by = await toClientAuth(provider, authentication, now());
    const configuration = new oidc.Configuration(metadata, clientId, client, by);
    configuration[oidc.customFetch] = options.fetch;
    if (isLoopback(provider.issuer)) oidc.allowInsecureRequests(configuration);
    // OpenID Connect Core §3.1.3.7 allows TLS in place of the signature; the signature also holds behind proxies.
    if (provider.protocol === 'oidc') oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  return {
    async begin(provider, { checks, redirectUri, loginHint, isAgain }) {
      const configuration = await configure(provider);
      const { state, nonce, verifier } = checks;
      return oidc.buildAuthorizationUrl(configuration, {
        ...provider.parameters,
        redirect_uri: redirectUri,
        scope: provider.scopes.join(' '),
        state,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(provider.protocol === 'oidc' && { nonce }),
        ...(provider.responseMode !== 'query' && { response_mode: provider.responseMode }),
        ...(loginHint !== undefined && { login_hint: loginHint }),
        ...toAgeParameters(provider, isAgain),
      });
    },
    async finish(provider, callback, { checks, isAgain }) {
      try {
        const configuration = await configure(provider);
        const isOidc = provider.protocol === 'oidc';
        const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: checks.verifier,
          expectedState: checks.state,
          idTokenExpected: isOidc,
          ...(isOidc && { expectedNonce: checks.nonce }),
          ...(isAgain && { maxAge: REQUEST_TTL_SECONDS }),
        });
        const claims = isOidc
          ? await completeClaims(configuration, tokens)
          : await fetchGitHubClaims(configuration, tokens.access_token, provider.issuer);
        return toUpstreamUser(provider, claims);
      } catch (err) {
        throw toUpstreamError(err);
      }
    },
    // Without `id_token_hint`, because sessions keep no ID tokens; the provider asks the user (§2).
    async findLogOutUrl(provider, returnTo) {
      const configuration = await configure(provider);
      const isSupported = configuration.serverMetadata().end_session_endpoint !== undefined;
      const parameters = { post_logout_redirect_uri: returnTo };
      return isSupported ? oidc.buildEndSessionUrl(configuration, parameters) : undefined;
    },
    findJwksUri: async (provider) => (await findMetadata(provider)).jwks_uri,
  };
}

function toAgeParameters(
  { canReauthenticate, parameters }: IdentityProvider,
  isAgain: boolean,
): Record<string, string> {
  if (isAgain) return { prompt: 'login', max_age: '0' };
  return canReauthenticate && parameters.max_age === undefined ? { max_age: ANY_AGE_SECONDS } : {};
}

type FindMetadata = (provider: IdentityProvider) => Promise<oidc.ServerMetadata>;

/** Caches the metadata of each provider; concurrent sign-ins share a request. */
function createMetadataCache({ fetch, now }: UpstreamClientOptions): FindMetadata {
  const cache = new Map<string, { metadata: Promise<oidc.ServerMetadata>; until: number }>();

  async function discover({ issuer, clientId }: IdentityProvider): Promise<oidc.ServerMetadata> {
    const execute = isLoopback(issuer) ? [oidc.allowInsecureRequests] : [];
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
      execute,
      [oidc.customFetch]: fetch,
    });
    const metadata = found.serverMetadata();
    // Discovery ignores a final slash, but identities are stored by issuer (OpenID Connect Discovery §4.3).
    if (metadata.issuer !== issuer) throw new UpstreamError('unavailable', 'issuer_mismatch');
    return metadata;
  }

  return function findMetadata(provider) {
    if (provider.protocol === 'github') return Promise.resolve(gitHubMetadata(provider.issuer));
    const cached = cache.get(provider.id);
    if (cached && cached.until > now().getTime()) return cached.metadata;
    const metadata = discover(provider).catch((cause: unknown) => {
      cache.set(provider.id, { metadata, until: now().getTime() + FAILURE_TTL_MS });
      throw cause instanceof UpstreamError ? cause : new UpstreamError('unavailable', 'discovery', { cause });
    });
    cache.set(provider.id, { metadata, until: now().getTime() + METADATA_TTL_MS });
    return metadata;
  };
}

async function toClientAuth(
  { clientId, issuer }: IdentityProvider,
  authentication: ProviderAuthentication,
  now: Date,
): Promise<oidc.ClientAuth> {
  switch (authentication.method) {
    case 'none':
      return oidc.None();
    case 'client_secret_basic':
      return oidc.ClientSecretBasic(authentication.secret);
    case 'client_secret_post':
      return oidc.ClientSecretPost(authentication.secret);
    case 'apple':
      return oidc.ClientSecretPost(await createAppleSecret({ ...authentication, clientId, issuer, now }));
  }
}

interface AppleSecret {
  teamId: string;
  keyId: string;
  privateKey: string;
  clientId: string;
  issuer: string;
  now: Date;
}

/** Creates the client secret of Apple: a short-lived JWT signed with ES256. */
async function createAppleSecret(secret: AppleSecret): Promise<string> {
  const issuedAt = Math.floor(secret.now.getTime() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: secret.keyId })
    .setIssuer(secret.teamId)
    .setSubject(secret.clientId)
    .setAudience(secret.issuer)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + SECRET_TTL_SECONDS)
    .sign(await importPKCS8(secret.privateKey, 'ES256'));
}

/** Adds the claims of the userinfo endpoint, if the ID token has no address (OpenID Connect Core §5.4). */
async function completeClaims(
  configuration: oidc.Configuration,
  tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
) {
  const claims = tokens.claims();
  if (!claims) throw new UpstreamError('invalid', 'id_token_missing');
  if ('email' in claims || !configuration.serverMetadata().userinfo_endpoint) return claims;
  return { ...(await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
}

function toUpstreamError(err: unknown): UpstreamError {
  if (err instanceof UpstreamError) return err;
  if (err instanceof oidc.AuthorizationResponseError) {
    const isDenied = err.error === 'access_denied';
    return new UpstreamError(isDenied ? 'denied' : 'invalid', 'authorization_response', { cause: err });
  }
  const code = err instanceof oidc.ClientError ? (err.code ?? 'response') : 'response';
  const isUnreachable = !(err instanceof oidc.ClientError) && !(err instanceof oidc.ResponseBodyError);
  return new UpstreamError(isUnreachable ? 'unavailable' : 'invalid', code, { cause: err });
}
