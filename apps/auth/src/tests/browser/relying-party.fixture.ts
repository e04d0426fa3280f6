import * as oauth from 'openid-client';

export interface SignInOptions {
  staysSignedIn?: boolean;
  /** More parameters of the authorization request. */
  parameters?: Readonly<Record<string, string>>;
}

/** OpenID Connect part of an application, with openid-client. */
export interface RelyingParty {
  /** Sets the credentials of the registered client. */
  configure(clientId: string, clientSecret: string): Promise<void>;
  /** Builds the URL of an authorization request. */
  buildSignInUrl(options?: SignInOptions): Promise<URL>;
  /** Processes an authorization response; returns the message that the application shows. */
  handleCallback(callback: URL | Request): Promise<string>;
  /** Builds the URL of a log-out request. */
  buildSignOutUrl(): URL;
  /** Returns the latest token response. @throws {Error} before the first sign-in */
  tokens(): oauth.TokenEndpointResponse & oauth.TokenEndpointResponseHelpers;
  /** Refreshes the tokens. @throws {oauth.ResponseBodyError} if the server rejects the request */
  refresh(): Promise<oauth.TokenEndpointResponse>;
}

export interface RelyingPartyOptions {
  issuer: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
}

const SCOPE = 'openid profile email tickets:read';
/** Requests a refresh token, which needs a new consent each time (OpenID Connect Core §11). */
const offline = { scope: `${SCOPE} offline_access`, prompt: 'consent' };

export function createRelyingParty(options: RelyingPartyOptions): RelyingParty {
  const { issuer, redirectUri, postLogoutRedirectUri } = options;
  /** PKCE verifiers by state. */
  const pending = new Map<string, string>();
  let configuration: oauth.Configuration | undefined;
  let tokens: ReturnType<RelyingParty['tokens']> | undefined;

  return {
    async configure(clientId, clientSecret) {
      const authentication = oauth.ClientSecretBasic(clientSecret);
      configuration = await oauth.discovery(new URL(issuer), clientId, undefined, authentication, {
        execute: [oauth.allowInsecureRequests],
      });
    },
    async buildSignInUrl({ staysSignedIn, parameters } = {}) {
      const [state, verifier] = [oauth.randomState(), oauth.randomPKCECodeVerifier()];
      pending.set(state, verifier);
      return oauth.buildAuthorizationUrl(requireValue(configuration), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        ...(staysSignedIn && offline),
        ...parameters,
      });
    },
    async handleCallback(callback) {
      const expectedState = String((await parametersOf(callback)).get('state'));
      const checks = { expectedState, pkceCodeVerifier: pending.get(expectedState) ?? '' };
      try {
        tokens = await oauth.authorizationCodeGrant(requireValue(configuration), callback, checks);
        return `Hello ${tokens.claims()?.sub}`;
      } catch (err) {
        return err instanceof oauth.AuthorizationResponseError ? err.error : String(err);
      }
    },
    buildSignOutUrl: () =>
      oauth.buildEndSessionUrl(requireValue(configuration), {
        id_token_hint: requireValue(tokens).id_token ?? '',
        post_logout_redirect_uri: postLogoutRedirectUri,
      }),
    tokens: () => requireValue(tokens),
    refresh: () =>
      oauth.refreshTokenGrant(requireValue(configuration), requireValue(tokens).refresh_token ?? ''),
  };
}

function parametersOf(callback: URL | Request): Pick<FormData, 'get'> | Promise<FormData> {
  return callback instanceof URL ? callback.searchParams : callback.clone().formData();
}

function requireValue<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The application is not configured, or no user has signed in.');
  return value;
}
