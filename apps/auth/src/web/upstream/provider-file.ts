import { readFileSync } from 'node:fs';
import type { Environment } from '@keydesk/config';
import { lazyModule } from '@keydesk/server';
import { z } from 'zod';
import type {
  IdentityProvider,
  ProviderAuthentication,
} from '../../accounts/identities/identity-provider.ts';
import type { Asset } from '../../pages/asset.ts';
import { readLogo } from '../../pages/brand-settings.ts';
import { type PresetName, presetNames, presets } from './presets.ts';
import { findEntryFaults, type ProviderEntry, providerEntrySchema } from './provider-entry.ts';

/** Content of the providers' file; secrets in environment variables are not yet read. */
export interface ProviderFile {
  readonly entries: readonly ProviderEntry[];
  readonly logos: ReadonlyMap<string, Asset>;
  readonly secrets: ReadonlyMap<string, string>;
}

/** Setting of the providers at which users sign in. */
export const identityProviderSettings = {
  identityProviderFile: {
    env: 'IDENTITY_PROVIDERS_FILE',
    schema: z
      .string()
      .transform((path, issues): ProviderFile => {
        const { file, faults } = readProviderFile(path);
        for (const fault of faults) issues.addIssue(fault);
        return file;
      })
      .optional()
      .describe('Providers at which users can sign in: a JSON or YAML file'),
  },
} as const;

type Fault = string;

function readProviderFile(path: string): { file: ProviderFile; faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const [logos, secrets] = [new Map<string, Asset>(), new Map<string, string>()];
  const attempt = <Value>(at: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (err) {
      faults.push(`${at}${at && ' '}${err instanceof Error ? err.message : err}`);
      return undefined;
    }
  };
  const listed = attempt('', () => readList(path)) ?? [];
  const entries = listed.flatMap((input, index) => {
    const at = `providers.${index}`;
    const { entry, faults: found } = parseEntry(input);
    faults.push(...found.map(([member, message]) => `${at}${member && '.'}${member} ${message}`));
    if (!entry) return [];
    const { logo_file, client_secret_file, private_key_file } = entry;
    const logo = logo_file && attempt(`${at}.logo_file`, () => readLogo(logo_file));
    if (logo) logos.set(entry.id, logo);
    const [member, secretFile] = private_key_file
      ? ['private_key_file', private_key_file]
      : ['client_secret_file', client_secret_file];
    const secret = secretFile && attempt(`${at}.${member}`, () => readSecret(secretFile));
    if (secret) secrets.set(entry.id, secret);
    return [entry];
  });
  faults.push(...findDuplicates(entries));
  return { file: { entries, logos, secrets }, faults };
}

const loadYaml = lazyModule<typeof import('yaml')>('yaml', import.meta.url);

/** JSON is a subset of YAML 1.2. */
function readList(path: string): readonly unknown[] {
  const text = readText(path);
  const content: unknown = parseYaml(text);
  const parsed = z.strictObject({ providers: z.array(z.unknown()).min(1) }).safeParse(content);
  if (!parsed.success) throw new Error('must be an object with the list `providers` and nothing else');
  return parsed.data.providers;
}

function parseYaml(text: string): unknown {
  const { parse } = loadYaml();
  try {
    return parse(text, { strict: true, uniqueKeys: true, maxAliasCount: 0 });
  } catch (cause) {
    // The message of the parser repeats the line, which may contain a secret.
    const position = cause instanceof Error && 'linePos' in cause ? cause.linePos : undefined;
    const [start] = Array.isArray(position) ? position : [];
    throw new Error(`must be JSON or YAML${start ? ` (line ${start.line}, column ${start.col})` : ''}`, {
      cause,
    });
  }
}

function parseEntry(input: unknown): { entry?: ProviderEntry; faults: readonly [string, string][] } {
  if (typeof input !== 'object' || input === null) return { faults: [['', 'must be an object']] };
  const { preset } = input as { preset?: unknown };
  if (preset !== undefined && !isPreset(preset))
    return { faults: [['preset', `must be one of ${presetNames.join(', ')}`]] };
  const given = input as Partial<ProviderEntry>;
  const parsed = providerEntrySchema.safeParse({ ...(preset && presets[preset](given)), ...given });
  if (!parsed.success) return { faults: parsed.error.issues.flatMap(toFaults) };
  return { entry: parsed.data, faults: findEntryFaults(parsed.data) };
}

function isPreset(name: unknown): name is PresetName {
  return presetNames.some((each) => each === name);
}

function toFaults(issue: z.core.$ZodIssue): [string, string][] {
  const path = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return [[path, issue.message]];
  return issue.keys.map((key) => [[...issue.path, key].join('.'), 'is unknown']);
}

function findDuplicates(entries: readonly ProviderEntry[]): Fault[] {
  const byId = Map.groupBy(entries, ({ id }) => id);
  // An identity is an issuer and a subject, so two providers of one issuer would share their users (RFC 9700 §4.4).
  const byIssuer = Map.groupBy(entries, ({ issuer }) => issuer);
  const byHome = Map.groupBy(
    entries.flatMap(({ home_domains }) => home_domains),
    (each) => each,
  );
  const several = (groups: Map<string, unknown[]>) =>
    [...groups].filter(([, { length }]) => length > 1).map(([key]) => key);
  return [
    ...several(byId).map((id) => `the id ${id} is used twice`),
    ...several(byIssuer).map((issuer) => `the issuer ${issuer} is used twice`),
    ...several(byHome).map((each) => `home_domains: ${each} is listed twice`),
  ];
}

function readSecret(path: string): string {
  const secret = readText(path).trim();
  if (secret === '') throw new Error('is an empty file');
  return secret;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? cause.code : cause;
    throw new Error(`the file cannot be read (${reason})`, { cause });
  }
}

/** Lists the environment variables with secrets that are missing. */
export function findMissingSecrets(file: ProviderFile | undefined, env: Environment): string[] {
  const names = (file?.entries ?? []).map(({ client_secret_env: name }) => name);
  return names
    .filter((name) => name !== undefined && !env[name])
    .map((name) => `${name}: is missing; IDENTITY_PROVIDERS_FILE names it as a client secret`);
}

/** Returns the providers of the file, with their secrets. */
export function toIdentityProviders(
  file: ProviderFile | undefined,
  env: Environment,
): readonly IdentityProvider[] {
  return (file?.entries ?? []).map((entry) => ({
    id: entry.id,
    name: entry.name,
    protocol: entry.protocol,
    issuer: entry.issuer,
    clientId: entry.client_id,
    authentication: toAuthentication(
      entry,
      file?.secrets.get(entry.id) ?? env[entry.client_secret_env ?? ''],
    ),
    scopes: entry.scopes,
    idTokenAlgorithm: entry.id_token_algorithm,
    responseMode: entry.response_mode,
    parameters: entry.parameters,
    logoPath: file?.logos.get(entry.id)?.path,
    allowedDomains: entry.allowed_domains,
    homeDomains: entry.home_domains,
    trustedDomains: entry.trusted_domains,
    verifiesAddresses: entry.verifies_addresses,
    isAuthenticationTrusted: entry.trust_authentication,
    multiFactorAcrs: entry.multi_factor_acrs,
    canReauthenticate: entry.can_reauthenticate && entry.protocol === 'oidc',
    isLogOutOffered: entry.offer_log_out,
    isSignUpOpen: entry.sign_up_open,
    profileClaims: entry.profile_claims as Record<string, string>,
    roles: entry.role_claim && entry.roles && { claim: entry.role_claim, values: entry.roles },
  }));
}

function toAuthentication(entry: ProviderEntry, secret = ''): ProviderAuthentication {
  const { client_authentication: method, team_id: teamId = '', key_id: keyId = '' } = entry;
  if (method === 'apple') return { method, teamId, keyId, privateKey: secret };
  return method === 'none' ? { method } : { method, secret };
}
