import * as oauth from 'openid-client';

export interface SignInOptions {
  staysSignedIn?: boolean;
  /** More parameters of the authorization request. */
  parameters?: Readonly<Record<string, string>>;
}

/** What an application does to sign people in, by openid-client. */
export interface RelyingParty {
  /** Takes on what it got when it was registered. */
  configure(clientId: string, clientSecret: string): Promise<void>;
  /** Where it sends somebody to sign in. */
  toSignIn(options?: SignInOptions): Promise<URL>;
  /** What it says to somebody who was sent back. */
  comeBack(callback: URL | Request): Promise<string>;
  /** Where it sends somebody to sign out. */
  toSignOut(): URL;
  /** What it got last. @throws {Error} before anybody has signed in */
  tokens(): oauth.TokenEndpointResponse & oauth.TokenEndpointResponseHelpers;
  /** Asks for other tokens by its refresh token. @throws {oauth.ResponseBodyError} when it is refused */
  refresh(): Promise<oauth.TokenEndpointResponse>;
}

export interface RelyingPartyOptions {
  issuer: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
}

const SCOPE = 'openid profile email tickets:read';
/** Asks for a refresh token, which takes a consent each time (OpenID Connect Core §11). */
const offline = { scope: `${SCOPE} offline_access`, prompt: 'consent' };

export function createRelyingParty(options: RelyingPartyOptions): RelyingParty {
  const { issuer, redirectUri, postLogoutRedirectUri } = options;
  /** The verifiers of PKCE, by state. */
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
    async toSignIn({ staysSignedIn, parameters } = {}) {
      const [state, verifier] = [oauth.randomState(), oauth.randomPKCECodeVerifier()];
      pending.set(state, verifier);
      return oauth.buildAuthorizationUrl(existing(configuration), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        ...(staysSignedIn && offline),
        ...parameters,
      });
    },
    async comeBack(callback) {
      const expectedState = String((await parametersOf(callback)).get('state'));
      const checks = { expectedState, pkceCodeVerifier: pending.get(expectedState) ?? '' };
      try {
        tokens = await oauth.authorizationCodeGrant(existing(configuration), callback, checks);
        return `Hello ${tokens.claims()?.sub}`;
      } catch (err) {
        return err instanceof oauth.AuthorizationResponseError ? err.error : String(err);
      }
    },
    toSignOut: () =>
      oauth.buildEndSessionUrl(existing(configuration), {
        id_token_hint: existing(tokens).id_token ?? '',
        post_logout_redirect_uri: postLogoutRedirectUri,
      }),
    tokens: () => existing(tokens),
    refresh: () => oauth.refreshTokenGrant(existing(configuration), existing(tokens).refresh_token ?? ''),
  };
}

function parametersOf(callback: URL | Request): Pick<FormData, 'get'> | Promise<FormData> {
  return callback instanceof URL ? callback.searchParams : callback.clone().formData();
}

function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The application is not as far as that.');
  return value;
}
