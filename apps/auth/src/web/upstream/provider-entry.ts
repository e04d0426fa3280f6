import { isLoopback } from '@keydesk/config';
import { z } from 'zod';
import { profileSchema } from '../../accounts/account/profile.ts';
import { isLineOfText } from '../../values/line-of-text.ts';
import { roles } from '../../values/scopes.ts';

const MAX_NAME = 60;
const text = z.string('must be text').min(1, 'must not be empty');
const texts = z.array(text, 'must be a list');
const domain = text
  .transform((each) => each.toLowerCase())
  .refine((each) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(each), 'must be a domain such as example.com');
const domains = z.array(domain, 'must be a list of domains');
const profileMembers = Object.keys(profileSchema.unwrap().shape);

/** Entry of the providers' file, after its preset was applied. */
export const providerEntrySchema = z.strictObject({
  id: z
    .string('is missing')
    .regex(
      /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/,
      'must have 1 to 32 lower-case letters, digits and hyphens',
    ),
  preset: z.string().optional(),
  /** Directory of Microsoft Entra. */
  tenant: z
    .string()
    .regex(
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      'must be the id of one tenant (a UUID in lower case)',
    )
    .optional(),
  protocol: z.enum(['oidc', 'github'], 'must be oidc or github').default('oidc'),
  name: z
    .string('is missing')
    .trim()
    .min(1, 'must not be empty')
    .max(MAX_NAME, `must have at most ${MAX_NAME} characters`)
    .refine(isLineOfText, 'must be one line of text'),
  issuer: z.string('is missing').refine(isIssuer, 'must be an https URL without query and fragment'),
  client_id: z.string('is missing').min(1, 'must not be empty'),
  client_secret_file: text.optional(),
  client_secret_env: text.optional(),
  client_authentication: z
    .enum(
      ['client_secret_basic', 'client_secret_post', 'none', 'apple'],
      'must be client_secret_basic, client_secret_post, none or apple',
    )
    .default('client_secret_basic'),
  team_id: text.optional(),
  key_id: text.optional(),
  private_key_file: text.optional(),
  scopes: texts.default(['openid', 'profile', 'email']),
  id_token_algorithm: z
    .enum(
      ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
      'must be an asymmetric algorithm such as RS256',
    )
    .default('RS256'),
  response_mode: z.enum(['query', 'form_post'], 'must be query or form_post').default('query'),
  parameters: z.record(z.string(), z.string(), 'must be an object of texts').default({}),
  logo_file: text.optional(),
  allowed_domains: domains.default([]),
  home_domains: domains.default([]),
  trusted_domains: domains.default([]),
  verifies_addresses: z.boolean('must be true or false').default(false),
  trust_authentication: z.boolean('must be true or false').default(false),
  multi_factor_acrs: texts.default([]),
  can_reauthenticate: z.boolean('must be true or false').default(true),
  offer_log_out: z.boolean('must be true or false').default(false),
  sign_up_open: z.boolean('must be true or false').optional(),
  profile_claims: z
    .partialRecord(
      z.enum(profileMembers, `must be one of ${profileMembers.join(', ')}`),
      text,
      'must be an object',
    )
    .default({ name: 'name', given_name: 'given_name', family_name: 'family_name', locale: 'locale' }),
  role_claim: z
    .union([text.transform((each) => [each]), texts.min(1)], 'must be a claim or a path')
    .optional(),
  roles: z.record(text, z.enum(roles, `must be one of ${roles.join(', ')}`), 'must be an object').optional(),
});

export type ProviderEntry = z.output<typeof providerEntrySchema>;

/** Lists the faults of an entry across its members. */
export function findEntryFaults(entry: ProviderEntry): [member: string, message: string][] {
  const { client_authentication: method, client_secret_env: env, client_secret_file: file } = entry;
  const isBySecret = method.startsWith('client_secret');
  const secrets = [env, file].filter((each) => each !== undefined).length;
  const checks: [isFault: boolean, member: string, message: string][] = [
    [isBySecret && secrets === 0, 'client_secret_env', 'is missing; set this or client_secret_file'],
    [secrets === 2, 'client_secret_file', 'set either this or client_secret_env, not both'],
    [!isBySecret && secrets > 0, 'client_secret_env', `is not used by client_authentication ${method}`],
    ...(['team_id', 'key_id', 'private_key_file'] as const).map((each): [boolean, string, string] => [
      method === 'apple' && !entry[each],
      each,
      'is missing',
    ]),
    [
      entry.preset === 'microsoft' && !entry.tenant,
      'tenant',
      'is missing; several tenants are not supported',
    ],
    [entry.protocol === 'oidc' && !entry.scopes.includes('openid'), 'scopes', 'must include openid'],
    [Boolean(entry.roles) && !entry.role_claim, 'role_claim', 'is missing'],
    [Boolean(entry.role_claim) && !entry.roles, 'roles', 'is missing'],
    ...Object.keys(entry.parameters).map((name): [boolean, string, string] => [
      ownParameters.includes(name),
      `parameters.${name}`,
      'is set by the server',
    ]),
  ];
  return checks.filter(([isFault]) => isFault).map(([, member, message]) => [member, message]);
}

/** Parameters that protect the response, or are derived from other members. */
const ownParameters = [
  ...['client_id', 'response_type', 'response_mode', 'redirect_uri', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri'],
];

/** Plain http is for loopback addresses, as in development. */
function isIssuer(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false;
  const { protocol, search, hash } = new URL(issuer);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(issuer));
  return isSafe && search === '' && hash === '' && !/[?#]/.test(issuer);
}
