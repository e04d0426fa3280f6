import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Keycloak } from './server.ts';

/** User of a realm. */
export interface RealmUser {
  username: string;
  email: string;
  password: string;
  isVerified: boolean;
  roles: readonly string[];
  /** Secret of an authenticator app. */
  otpSecret?: string | undefined;
}

/** A realm with Keydesk as its client. */
export interface Realm {
  name: string;
  /** `acr` that Keydesk requests: silver is a password, gold a password and a code. */
  acr: 'silver' | 'gold';
  /** Method of its log-outs at Keydesk: a token for one session, a token for all sessions of a user, or a frame. */
  logOut: 'session token' | 'user token' | 'frame';
  users: readonly RealmUser[];
}

export const AGENT_ROLE = 'helpdesk-agent';
export const clientSecret = randomBytes(24).toString('base64url');

export function createUser(
  email: string,
  members: Partial<Pick<RealmUser, 'isVerified' | 'roles'>> & { hasApp?: boolean } = {},
): RealmUser {
  const { isVerified = true, roles = [], hasApp = false } = members;
  const password = randomBytes(12).toString('base64url');
  const otpSecret = hasApp ? randomBytes(10).toString('hex') : undefined;
  return { username: email, email, password, isVerified, roles, otpSecret };
}

/** Returns the current code of the user's authenticator app. */
export function codeOf({ otpSecret = '' }: RealmUser): string {
  return new TOTP({ secret: Secret.fromUTF8(otpSecret) }).generate();
}

/** Keycloak reads the policy as a whole. The checks sign in several times within one time step. */
const otpPolicy = {
  otpPolicyType: 'totp',
  otpPolicyAlgorithm: 'HmacSHA1',
  otpPolicyInitialCounter: 0,
  otpPolicyDigits: 6,
  otpPolicyLookAheadWindow: 1,
  otpPolicyPeriod: 30,
  otpPolicyCodeReusable: true,
};

/** Creates a realm with its users, its client, and a flow that asks for a code if `acr` gold is requested. */
export async function createRealm(keycloak: Keycloak, realm: Realm, issuer: string): Promise<void> {
  await keycloak.administer('POST', '', {
    realm: realm.name,
    enabled: true,
    attributes: { 'acr.loa.map': JSON.stringify({ silver: 1, gold: 2 }) },
    ...otpPolicy,
    roles: { realm: [{ name: AGENT_ROLE }] },
    clients: [toClient(realm, issuer)],
    users: realm.users.map(toUserRepresentation),
  });
  await createFlow(keycloak, realm.name);
}

function toClient({ name, logOut }: Realm, issuer: string) {
  const base = `${issuer}/sign-in/with/${name}`;
  const isFrontChannel = logOut === 'frame';
  return {
    clientId: 'keydesk',
    secret: clientSecret,
    redirectUris: [`${base}/callback`],
    directAccessGrantsEnabled: false,
    frontchannelLogout: isFrontChannel,
    attributes: {
      'pkce.code.challenge.method': 'S256',
      'post.logout.redirect.uris': `${issuer}/session/end/success`,
      ...(isFrontChannel
        ? {
            'frontchannel.logout.url': `${base}/front-channel-log-out`,
            'frontchannel.logout.session.required': 'true',
          }
        : {
            'backchannel.logout.url': `${base}/back-channel-log-out`,
            'backchannel.logout.session.required': String(logOut === 'session token'),
          }),
    },
    protocolMappers: [
      mapper('roles in the ID token', 'oidc-usermodel-realm-role-mapper', {
        'claim.name': 'realm_access.roles',
        'jsonType.label': 'String',
        multivalued: 'true',
      }),
      mapper('amr', 'oidc-amr-mapper', {}),
    ],
  };
}

function mapper(name: string, protocolMapper: string, config: Readonly<Record<string, string>>) {
  return {
    name,
    protocol: 'openid-connect',
    protocolMapper,
    config: { ...config, 'id.token.claim': 'true', 'access.token.claim': 'true' },
  };
}

function toUserRepresentation({ username, email, password, isVerified, roles, otpSecret }: RealmUser) {
  const app = {
    type: 'otp',
    secretData: JSON.stringify({ value: otpSecret }),
    credentialData: JSON.stringify({
      subType: 'totp',
      digits: 6,
      counter: 0,
      period: 30,
      algorithm: 'HmacSHA1',
    }),
  };
  return {
    username,
    email,
    emailVerified: isVerified,
    enabled: true,
    firstName: 'Ada',
    lastName: 'Lovelace',
    realmRoles: roles,
    credentials: [{ type: 'password', value: password }, ...(otpSecret === undefined ? [] : [app])],
  };
}

/** Step of a flow: an authenticator with its configuration, or a flow of steps. */
interface Step {
  name: string;
  requirement: 'REQUIRED' | 'ALTERNATIVE' | 'CONDITIONAL';
  config?: Readonly<Record<string, string>>;
  steps?: readonly Step[];
}

const level = (number: string, maxAge: string): Step => ({
  name: 'conditional-level-of-authentication',
  requirement: 'REQUIRED',
  config: { 'loa-condition-level': number, 'loa-max-age': maxAge },
});
const factor = (name: string, method: string): Step => ({
  name,
  requirement: 'REQUIRED',
  // Method that the mapper `amr` adds.
  config: { 'default.reference.value': method, 'default.reference.maxAge': '36000' },
});
const steps: readonly Step[] = [
  { name: 'auth-cookie', requirement: 'ALTERNATIVE' },
  {
    name: 'step-up-forms',
    requirement: 'ALTERNATIVE',
    steps: [
      {
        name: 'step-up-silver',
        requirement: 'CONDITIONAL',
        steps: [level('1', '36000'), factor('auth-username-password-form', 'pwd')],
      },
      {
        name: 'step-up-gold',
        requirement: 'CONDITIONAL',
        steps: [level('2', '36000'), factor('auth-otp-form', 'otp')],
      },
    ],
  },
];

const FLOW = 'step-up';

/** Creates the flow of browsers as Keycloak's documentation on step-up authentication describes it. */
async function createFlow({ administer }: Keycloak, realm: string): Promise<void> {
  const flows = `/${realm}/authentication/flows`;
  await administer('POST', flows, { alias: FLOW, providerId: 'basic-flow', topLevel: true, builtIn: false });

  async function add(parent: string, { name, requirement, config, steps: inner }: Step): Promise<void> {
    if (inner) {
      const flow = { alias: name, type: 'basic-flow', provider: 'registration-page-form', description: name };
      await administer('POST', `${flows}/${parent}/executions/flow`, flow);
    } else await administer('POST', `${flows}/${parent}/executions/execution`, { provider: name });
    const listed = await administer<Execution[]>('GET', `${flows}/${parent}/executions`);
    const added = listed.findLast(
      ({ displayName, providerId }) => (inner ? displayName : providerId) === name,
    );
    if (!added) throw new Error(`Keycloak did not add ${name}.`);
    await administer('PUT', `${flows}/${parent}/executions`, { ...added, requirement });
    if (config) {
      const path = `/${realm}/authentication/executions/${added.id}/config`;
      await administer('POST', path, { alias: `${parent} ${name}`, config });
    }
    for (const step of inner ?? []) await add(name, step);
  }

  for (const step of steps) await add(FLOW, step);
  await administer('PUT', `/${realm}`, { browserFlow: FLOW });
}

interface Execution {
  id: string;
  displayName: string;
  providerId?: string;
}

/** Grants a user the role of agents, or removes it. */
export async function setAgent(
  { administer }: Keycloak,
  { name }: Realm,
  user: RealmUser,
  isAgent: boolean,
): Promise<void> {
  const id = await findUserId({ administer }, { name }, user);
  const role = await administer('GET', `/${name}/roles/${AGENT_ROLE}`);
  await administer(isAgent ? 'POST' : 'DELETE', `/${name}/users/${id}/role-mappings/realm`, [role]);
}

export async function findUserId(
  { administer }: Pick<Keycloak, 'administer'>,
  { name }: Pick<Realm, 'name'>,
  { username }: RealmUser,
): Promise<string> {
  const query = new URLSearchParams({ username, exact: 'true' });
  const [found] = await administer<{ id: string }[]>('GET', `/${name}/users?${query}`);
  if (!found) throw new Error(`Keycloak has no user ${username}.`);
  return found.id;
}

interface Component {
  id: string;
  providerId: string;
}

/** Replaces the key that signs ID tokens. */
export async function rotateKey({ administer }: Keycloak, { name }: Realm): Promise<void> {
  const type = 'org.keycloak.keys.KeyProvider';
  const components = `/${name}/components`;
  const before = await administer<Component[]>('GET', `${components}?type=${type}`);
  const { id: parentId } = await administer<{ id: string }>('GET', `/${name}`);
  await administer('POST', components, {
    name: 'rotated',
    providerId: 'rsa-generated',
    providerType: type,
    parentId,
    config: {
      priority: ['200'],
      enabled: ['true'],
      active: ['true'],
      algorithm: ['RS256'],
      keySize: ['2048'],
    },
  });
  const old = before.filter(({ providerId }) => providerId === 'rsa-generated');
  for (const { id } of old) await administer('DELETE', `${components}/${id}`);
}
