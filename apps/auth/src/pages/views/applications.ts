import type {
  ApplicationType,
  ClientAuthMethod,
  ClientSecret,
  IdTokenAlgorithm,
  TrustRequest,
  TrustRequestKind,
} from '../../clients/client.ts';
import type { Role } from '../../values/scopes.ts';
import type { AccountShell } from './account.ts';
import type { Form, Notice, Problem } from './forms.ts';
import type { OwnersView } from './owners.ts';

export interface ApplicationsView {
  shell: AccountShell;
  applications: readonly {
    id: string;
    name: string;
    /** Path of its logo on this server. */
    logo?: string | undefined;
    type: ApplicationType;
    isVerified: boolean;
    isDisabled: boolean;
    /** Whether the user is a co-owner of it. */
    isCoOwned: boolean;
    createdAt: Date;
    href: string;
  }[];
  /** Maximum number of applications per user. */
  limit: number;
  notice?: Notice | undefined;
  links: { register: string };
}

/** Form that registers or edits an application. */
export interface ApplicationFormView {
  shell: AccountShell;
  form: Form<
    | 'type'
    | 'name'
    | 'home_page'
    | 'policy_uri'
    | 'tos_uri'
    | 'redirect_uris'
    | 'post_logout_redirect_uris'
    | 'scopes'
    | 'backchannel_logout_uri'
    | 'initiate_login_uri'
    | 'authorization_signed_response_alg'
    | 'jwks'
  >;
  /** Name of the edited application; absent for a new one. */
  editing?: string | undefined;
  /** Rejected input or registered values. The type cannot change after registration. */
  values: {
    type?: ApplicationType | undefined;
    /** Version of the edited application, so that concurrent changes are not overwritten. */
    version?: number | undefined;
    name?: string | undefined;
    homePage?: string | undefined;
    policyUri?: string | undefined;
    tosUri?: string | undefined;
    /** One per line. */
    redirectUris?: string | undefined;
    /** One per line. */
    postLogoutRedirectUris?: string | undefined;
    backchannelLogoutUri?: string | undefined;
    initiateLoginUri?: string | undefined;
    authorizationResponseAlgorithm?: string | undefined;
    /** JSON Web Key Set; only for a new application or one that authenticates with a key. */
    jwks?: string | undefined;
    scopes: readonly string[];
  };
  /** All available scopes; `isForMachines` if machine clients can have it too. */
  offeredScopes: readonly { name: string; isForMachines: boolean }[];
  links: { cancel: string };
}

/** Public key with which an application authenticates (RFC 7517 §4). */
export interface PublicKey {
  kid?: string | undefined;
  kty: string;
  crv?: string | undefined;
  alg?: string | undefined;
}

/** URLs in the snippets. */
export interface SnippetServer {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userinfoEndpoint: string;
  /** API endpoint at which the snippets use the token. */
  exampleUrl: string;
}

/** URLs of the server and the API that developers configure in a client library. */
export interface ServerAddresses extends SnippetServer {
  discoveryUrl: string;
  jwksUri: string;
  apiBaseUrl: string;
}

/** Role or verification that an operator grants on request. */
export interface TrustView {
  kind: TrustRequestKind;
  /** Form that withdraws a pending request or sends a new one. */
  form: Form<'trust_role' | 'role_reason' | 'verification_reason'>;
  /** Rejected input. */
  values: { role?: Role | undefined; reason?: string | undefined };
  /** Latest request. */
  request?:
    | Pick<TrustRequest, 'role' | 'reason' | 'status' | 'decisionReason' | 'createdAt' | 'closedAt'>
    | undefined;
}

/** Logo of an application, uploaded by its developer. */
export interface LogoView {
  /** Form that uploads a new logo. */
  form: Form<'logo'>;
  /** Action of the form “remove logo”; absent without a logo. */
  removeAction?: string | undefined;
  /** Limits in kilobytes and in pixels per side. */
  limits: { kilobytes: number; min: number; max: number };
}

type ApplicationPageField = 'logo' | 'trust_role' | 'role_reason' | 'verification_reason' | 'invited_email';

export interface ApplicationView {
  shell: AccountShell;
  csrf: string;
  application: {
    id: string;
    name: string;
    logo?: string | undefined;
    type: ApplicationType;
    authMethod: ClientAuthMethod;
    homePage?: string | undefined;
    policyUri?: string | undefined;
    tosUri?: string | undefined;
    redirectUris: readonly string[];
    postLogoutRedirectUris: readonly string[];
    backchannelLogoutUri?: string | undefined;
    initiateLoginUri?: string | undefined;
    /** Algorithm of its signed authorization responses (JARM); absent if it is the default. */
    authorizationResponseAlgorithm?: IdTokenAlgorithm | undefined;
    /** Public keys with their thumbprints (RFC 7638). */
    keys: readonly (PublicKey & { thumbprint: string })[];
    /** Whether its requests must be pushed, signed or bound to a key, which no snippet supports. */
    isHardened: boolean;
    scopes: readonly string[];
    role: Role | null;
    isVerified: boolean;
    isDisabled: boolean;
    createdAt: Date;
    secrets: readonly (Omit<ClientSecret, 'digest'> & { removeAction: string })[];
  };
  server: ServerAddresses;
  /** Language of the selected snippet (default: the first). */
  language?: string | undefined;
  /** Action of the form “add a secret”; absent if it has the maximum number. */
  addSecretAction?: string | undefined;
  notice?: Notice | undefined;
  problems?: readonly Problem<ApplicationPageField>[] | undefined;
  logo: LogoView;
  trust: readonly TrustView[];
  owners: OwnersView;
  /** `remove` is absent for co-owners, who cannot remove the application. */
  links: { show: string; edit: string; remove?: string | undefined; applications: string };
}

export interface SecretShownView {
  shell: AccountShell;
  application: { name: string; id: string };
  secret: string;
  /** Expiry of the older secret, if it has one. */
  oldSecretExpiresAt?: Date | undefined;
  links: { goOn: string };
}

export interface RemoveApplicationView {
  shell: AccountShell;
  form: Form;
  application: { name: string };
  links: { cancel: string };
}
