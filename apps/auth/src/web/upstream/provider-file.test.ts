import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IdentityProvider } from '../../accounts/identities/identity-provider.ts';
import { loadAuthConfig } from '../../config.ts';

const MASTER_SECRET = randomBytes(32).toString('base64url');
const acme = { id: 'acme', name: 'Acme', issuer: 'https://login.acme.example', client_id: 'keydesk' };
const withSecret = { ...acme, client_secret_env: 'ACME_SECRET' };

describe('the file of identity providers', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keydesk-providers-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function write(name: string, content: unknown): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  async function load(
    content: unknown,
    env: Record<string, string> = {},
  ): Promise<readonly IdentityProvider[]> {
    const path = await write('providers', content);
    return loadAuthConfig({ MASTER_SECRET, IDENTITY_PROVIDERS_FILE: path, ...env }).identityProviders;
  }

  /** Returns the lines of the error, without its first. */
  async function faultsOf(...providers: unknown[]): Promise<string[]> {
    const error = await load({ providers }).catch((err: unknown) => err);
    expect(error).toBeInstanceOf(Error);
    const lines = (error as Error).message.split('\n').map((line) => line.replace(/^\W+/, ''));
    return lines.filter((line) => line.startsWith('IDENTITY') || line.includes('is missing'));
  }

  it('may be absent', () => {
    expect(loadAuthConfig({ MASTER_SECRET }).identityProviders).toEqual([]);
  });

  it('may be JSON or YAML', async () => {
    const env = { ACME_SECRET: 'hidden' };
    const json = await load({ providers: [withSecret] }, env);
    const yaml = `providers:
  - id: acme
    name: Acme # comment
    issuer: https://login.acme.example
    client_id: keydesk
    client_secret_env: ACME_SECRET`;
    expect(await load(yaml, env)).toEqual(json);
    expect(json).toMatchObject([
      {
        id: 'acme',
        authentication: { method: 'client_secret_basic', secret: 'hidden' },
        scopes: ['openid', 'profile', 'email'],
        idTokenAlgorithm: 'RS256',
        trustedDomains: [],
        isAuthenticationTrusted: false,
        isLogOutOffered: false,
        isSignUpOpen: undefined,
        roles: undefined,
      },
    ]);
  });

  it('reads a secret from a file and roles from a nested claim', async () => {
    const client_secret_file = await write('secret', 'from file\n');
    const role_claim = ['realm_access', 'roles'];
    const [provider] = await load({
      providers: [{ ...acme, client_secret_file, role_claim, roles: { desk: 'agent' } }],
    });
    expect(provider?.authentication).toEqual({ method: 'client_secret_basic', secret: 'from file' });
    expect(provider?.roles).toEqual({ claim: role_claim, values: { desk: 'agent' } });
  });

  it('reports every fault at once, and no secret', async () => {
    const faults = await faultsOf(
      { ...acme, id: 'Acme Inc', issuer: 'http://login.acme.example', client_secret: 'hunter2', roles: {} },
      { ...withSecret, id: 'other', allowed_domains: ['nowhere'], id_token_algorithm: 'none' },
      { preset: 'gitlab' },
      7,
    );
    expect(faults).toEqual([
      expect.stringContaining('providers.0.id must have 1 to 32 lower-case letters'),
      expect.stringContaining('providers.0.issuer must be an https URL'),
      expect.stringContaining('providers.0.client_secret is unknown'),
      expect.stringContaining('providers.1.id_token_algorithm must be an asymmetric algorithm'),
      expect.stringContaining('providers.1.allowed_domains.0 must be a domain such as example.com'),
      expect.stringContaining('providers.2.preset must be one of google, microsoft, apple, github'),
      expect.stringContaining('providers.3 must be an object'),
    ]);
    expect(faults.join()).not.toContain('hunter2');
  });

  it('reports faults across members and across providers', async () => {
    const role = { role_claim: 'groups' };
    const faults = await faultsOf(
      { ...acme, ...role, parameters: { state: 'fixed' }, scopes: ['email'] },
      { ...withSecret, home_domains: ['acme.example'] },
      { ...withSecret, id: 'b', home_domains: ['acme.example'], logo_file: join(folder, 'absent.svg') },
      { id: 'ms', preset: 'microsoft', client_id: 'keydesk', client_secret_env: 'ACME_SECRET' },
    );
    expect(faults).toEqual([
      expect.stringContaining('providers.0.client_secret_env is missing'),
      expect.stringContaining('providers.0.scopes must include openid'),
      expect.stringContaining('providers.0.roles is missing'),
      expect.stringContaining('providers.0.parameters.state is set by the server'),
      expect.stringContaining('providers.2.logo_file the file cannot be read (ENOENT)'),
      expect.stringContaining('providers.3.issuer is missing'),
      expect.stringContaining('the id acme is used twice'),
      expect.stringContaining('the issuer https://login.acme.example is used twice'),
      expect.stringContaining('home_domains: acme.example is listed twice'),
    ]);
  });

  it('requires the environment variables that it names', async () => {
    await expect(load({ providers: [withSecret] })).rejects.toThrow(
      'ACME_SECRET: is missing; IDENTITY_PROVIDERS_FILE names it as a client secret',
    );
  });

  it.each([
    ['text without a list', 'nothing', 'must be an object with the list `providers`'],
    ['invalid YAML', 'providers: [\n secret: "hunter2', 'must be JSON or YAML'],
    ['duplicate keys', 'providers: []\nproviders: []', 'must be JSON or YAML'],
  ])('refuses %s in one sentence that does not repeat it', async (_case, content, message) => {
    await expect(load(content)).rejects.toThrow(message);
    await expect(load(content)).rejects.not.toThrow('hunter2');
  });

  it('has presets', async () => {
    const secret = { client_id: 'keydesk', client_secret_env: 'ACME_SECRET' };
    const private_key_file = await write('key', 'PEM');
    const providers = await load(
      {
        providers: [
          { id: 'google', preset: 'google', ...secret },
          { id: 'ms', preset: 'microsoft', tenant: '11111111-2222-3333-4444-555555555555', ...secret },
          { id: 'apple', preset: 'apple', client_id: 'a', team_id: 'T', key_id: 'K', private_key_file },
          {
            id: 'github',
            preset: 'github',
            name: 'Our GitHub',
            issuer: 'https://git.acme.example',
            ...secret,
          },
        ],
      },
      { ACME_SECRET: 's' },
    );
    expect(providers.map(({ name, issuer }) => [name, issuer])).toEqual([
      ['Google', 'https://accounts.google.com'],
      ['Microsoft', 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0'],
      ['Apple', 'https://appleid.apple.com'],
      ['Our GitHub', 'https://git.acme.example'],
    ]);
    expect(providers[0]?.trustedDomains).toEqual(['gmail.com', 'googlemail.com']);
    expect(providers[1]?.trustedDomains).toEqual([]);
    expect(providers[2]?.authentication).toEqual({
      method: 'apple',
      teamId: 'T',
      keyId: 'K',
      privateKey: 'PEM',
    });
    expect(providers[3]).toMatchObject({ protocol: 'github', canReauthenticate: false });
  });
});
