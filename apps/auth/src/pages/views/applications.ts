import type {
  ApplicationType,
  ClientAuthMethod,
  ClientSecret,
  IdTokenAlgorithm,
  Role,
  TrustRequest,
  TrustRequestKind,
} from '../../clients/client.ts';
import type { AccountShell } from './account.ts';
import type { Form, Notice, Problem } from './forms.ts';
import type { OwnersView } from './owners.ts';

export interface ApplicationsView {
  shell: AccountShell;
  applications: readonly {
    id: string;
    name: string;
    /** Address of its logo on this server. */
    logo?: string | undefined;
    type: ApplicationType;
    isVerified: boolean;
    isDisabled: boolean;
    /** Whether the reader is a co-owner of it. */
    isCoOwned: boolean;
    createdAt: Date;
    href: string;
  }[];
  /** How many a person may register. */
  limit: number;
  notice?: Notice | undefined;
  links: { register: string };
}

/** The form that registers an application, or edits one. */
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
  /** The name of the application to edit; absent when it is a new one. */
  editing?: string | undefined;
  /** As typed before, or as registered. The type is fixed once it is registered. */
  values: {
    type?: ApplicationType | undefined;
    /** Of what is edited, so that nothing is overwritten that was changed in the meantime. */
    version?: number | undefined;
    name?: string | undefined;
    homePage?: string | undefined;
    policyUri?: string | undefined;
    tosUri?: string | undefined;
    /** One a line. */
    redirectUris?: string | undefined;
    /** One a line. */
    postLogoutRedirectUris?: string | undefined;
    backchannelLogoutUri?: string | undefined;
    initiateLoginUri?: string | undefined;
    authorizationResponseAlgorithm?: string | undefined;
    /** A JSON Web Key Set; only of an application that authenticates by it, or of a new one. */
    jwks?: string | undefined;
    scopes: readonly string[];
  };
  /** Every scope that may be chosen; `isForMachines` when a machine client may have it too. */
  offeredScopes: readonly { name: string; isForMachines: boolean }[];
  links: { cancel: string };
}

/** A public key that an application proves itself by (RFC 7517 §4). */
export interface PublicKey {
  kid?: string | undefined;
  kty: string;
  crv?: string | undefined;
  alg?: string | undefined;
}

/** Addresses that go into the snippets. */
export interface SnippetServer {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  userinfoEndpoint: string;
  /** An address of the API that a token is tried at. */
  exampleUrl: string;
}

/** Addresses of the server and of the API that a developer enters into a client library. */
export interface ServerAddresses extends SnippetServer {
  discoveryUrl: string;
  jwksUri: string;
  apiBaseUrl: string;
}

/** Trust that an operator grants on request: a role or verification. */
export interface TrustView {
  kind: TrustRequestKind;
  /** Withdraws a pending request, or sends a new one. */
  form: Form<'trust_role' | 'role_reason' | 'verification_reason'>;
  /** As typed before. */
  values: { role?: Role | undefined; reason?: string | undefined };
  /** The last request. */
  request?:
    | Pick<TrustRequest, 'role' | 'reason' | 'status' | 'decisionReason' | 'createdAt' | 'closedAt'>
    | undefined;
}

/** The logo of an application, which its developer uploads. */
export interface LogoView {
  /** Uploads a file, which replaces the present logo. */
  form: Form<'logo'>;
  /** Where “remove logo” is posted; absent without a logo. */
  removeAction?: string | undefined;
  /** Limits that the page names: kilobytes, and pixels of a side. */
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
    /** Signs its authorization responses (JARM); absent where that is the default. */
    authorizationResponseAlgorithm?: IdTokenAlgorithm | undefined;
    /** Each with its thumbprint (RFC 7638). */
    keys: readonly (PublicKey & { thumbprint: string })[];
    /** Whether its requests have to be pushed, signed or bound to a key, which no snippet does. */
    isHardened: boolean;
    scopes: readonly string[];
    role: Role | null;
    isVerified: boolean;
    isDisabled: boolean;
    createdAt: Date;
    secrets: readonly (Omit<ClientSecret, 'digest'> & { removeAction: string })[];
  };
  server: ServerAddresses;
  /** The language of the snippet to show; by default the first. */
  language?: string | undefined;
  /** Where “add a secret” is posted; absent when it may have no more. */
  addSecretAction?: string | undefined;
  notice?: Notice | undefined;
  problems?: readonly Problem<ApplicationPageField>[] | undefined;
  logo: LogoView;
  trust: readonly TrustView[];
  owners: OwnersView;
  /** Only the owner may remove it. */
  links: { show: string; edit: string; remove?: string | undefined; applications: string };
}

export interface SecretShownView {
  shell: AccountShell;
  application: { name: string; id: string };
  secret: string;
  /** When the older secret stops working, if it does. */
  oldSecretExpiresAt?: Date | undefined;
  links: { goOn: string };
}

export interface RemoveApplicationView {
  shell: AccountShell;
  form: Form;
  application: { name: string };
  links: { cancel: string };
}
