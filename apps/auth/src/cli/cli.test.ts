import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, findFreePort, useStarted } from '@keydesk/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { createDevelopmentSecret } from '../keys/master-secret.ts';
import { newFolder, runCli, serveNewFolder } from '../tests/processes.fixture.ts';

const API = 'http://127.0.0.1:3001';
const addMachine = ['client', 'add', '--type', 'machine', '--name', 'Importer', '--json'];
const mayRead = ['--scope', 'tickets:read tickets:write', '--role', 'agent'];

function toJson({ code, stdout, stderr }: Ended) {
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('the command line', () => {
  const served = useStarted(serveNewFolder);

  const run = (...args: string[]) => runCli(args, served.env);
  const token = (id: string, secret: string, ...args: string[]) =>
    run('token', '--client-id', id, '--client-secret', secret, ...args);

  it('registers a machine client that gets a token from the running server at once', async () => {
    const added = toJson(await run(...addMachine, ...mayRead));
    expect(added).toMatchObject({
      client_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/),
      client_secret: expect.stringMatching(/^kdcs_\w{49}$/),
      name: 'Importer',
      type: 'machine',
      status: 'active',
      scope: 'tickets:read tickets:write',
      role: 'agent',
      auth_method: 'client_secret_basic',
    });
    const { access_token, ...response } = toJson(await token(added.client_id, added.client_secret, '--json'));
    expect(response).toEqual({ token_type: 'Bearer', expires_in: 300, scope: 'tickets:read tickets:write' });
    const keys = createRemoteJWKSet(new URL(`${served.url}/jwks`));
    const { payload } = await jwtVerify(access_token, keys, {
      issuer: served.url,
      audience: API,
      typ: 'at+jwt',
    });
    expect(payload).toMatchObject({ sub: added.client_id, role: 'agent' });
  });

  it('prints only the token of the requested scope; reads the secret from standard input or the environment', async () => {
    const { client_id: id, client_secret: secret } = toJson(await run(...addMachine, ...mayRead));
    const printed = await runCli(
      ['token', '--client-id', id, '--client-secret', '-', '--scope', 'tickets:read'],
      served.env,
      `${secret}\n`,
    );
    expect(printed.stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const withEnv = { ...served.env, KEYDESK_CLIENT_ID: id, KEYDESK_CLIENT_SECRET: secret };
    expect((await runCli(['token', '--resource', API], withEnv)).code).toBe(0);
  });

  it('disables and enables a client, with effect on its next request', async () => {
    const { client_id: id, client_secret: secret } = toJson(await run(...addMachine, ...mayRead));
    expect(toJson(await run('client', 'disable', id, '--json'))).toMatchObject({
      client_id: id,
      status: 'disabled',
    });
    expect(await token(id, secret)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^[^\n]*invalid_client[^\n]*\n$/),
    });
    await run('client', 'enable', id);
    expect((await token(id, secret)).code).toBe(0);
  });

  it('rotates a secret: both work during the overlap, only the new one without an overlap', async () => {
    const { client_id: id, client_secret: first } = toJson(await run(...addMachine, ...mayRead));
    const { client_secret: second } = toJson(
      await run('client', 'rotate-secret', id, '--overlap', '1h', '--json'),
    );
    expect([(await token(id, first)).code, (await token(id, second)).code]).toEqual([0, 0]);
    const { client_secret: third } = toJson(
      await run('client', 'rotate-secret', id, '--overlap', '0', '--json'),
    );
    expect([(await token(id, second)).code, (await token(id, third)).code]).toEqual([1, 0]);
  });

  it('lists and shows clients with their last use, without secrets', async () => {
    const { client_id: id, client_secret: secret } = toJson(await run(...addMachine, ...mayRead));
    await token(id, secret);
    const all = toJson(await run('client', 'list', '--json')) as { client_id: string }[];
    const listed = all.find(({ client_id }) => client_id === id);
    expect(listed).toMatchObject({
      client_id: id,
      secrets: [{ hint: secret.slice(-4), last_used_at: expect.any(String) }],
    });
    expect(toJson(await run('client', 'show', id, '--json'))).toEqual(listed);
    const people = [await run('client', 'list'), await run('client', 'show', id)];
    for (const { stdout } of people) {
      expect(stdout).toContain(id);
      expect(stdout).toContain('Importer');
    }
    expect(JSON.stringify([listed, people])).not.toContain(secret);
    expect(JSON.stringify([listed, people])).not.toMatch(/digest/i);
  });

  it('prints a new secret with the note that it cannot be shown again', async () => {
    const { code, stdout } = await run('client', 'add', '--name', 'Importer', ...mayRead);
    expect(code).toBe(0);
    expect(stdout).toMatch(/client_id +\S+\n/);
    expect(stdout).toMatch(/client_secret +kdcs_\w+\n/);
    expect(stdout).toMatch(/cannot be shown again/);
  });

  it('removes a client', async () => {
    const { client_id: id } = toJson(await run(...addMachine));
    expect(toJson(await run('client', 'remove', id, '--json'))).toEqual({ client_id: id, removed: true });
    expect(await run('client', 'remove', id)).toMatchObject({
      code: 1,
      stderr: `Client ${id} does not exist.\n`,
    });
    expect((await run('client', 'list', '--json')).stdout).not.toContain(id);
  });

  it('registers a client with its own keys and no secret', async () => {
    const path = join(served.folder, 'jwks.json');
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(path, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] }));
    const added = toJson(await run(...addMachine, '--jwks', path));
    expect(added).toMatchObject({
      auth_method: 'private_key_jwt',
      jwks: { keys: [{ kid: 'one' }] },
      secrets: [],
    });
    expect(added).not.toHaveProperty('client_secret');
    expect(await run('client', 'rotate-secret', added.client_id)).toMatchObject({ code: 1 });
  });

  it('rejects a private key and an invalid key set, with one sentence', async () => {
    const path = join(served.folder, 'jwks.json');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const content of [
      JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }),
      '{"keys":[]}',
      'no json',
    ]) {
      writeFileSync(path, content);
      const { code, stderr } = await run(...addMachine, '--jwks', path);
      expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
      expect(stderr).not.toContain(privateKey.export({ format: 'jwk' }).d ?? '');
    }
  });

  it('registers applications of each type with safe defaults', async () => {
    const add = (type: string, uri: string) =>
      run(...['client', 'add', '--json', '--name', 'App', '--type', type, '--redirect-uri', uri]);
    expect(toJson(await add('web', 'https://app.example/callback'))).toMatchObject({
      redirect_uris: ['https://app.example/callback'],
      client_secret: expect.any(String),
      grant_types: ['authorization_code', 'refresh_token'],
    });
    const native = toJson(await add('native', 'com.example.app:/callback'));
    expect([native.auth_method, native.client_secret]).toEqual(['none', undefined]);
    expect((await add('spa', 'com.example.app:/callback')).code).toBe(1);
  });

  it('registers devices, and resource servers that only introspect tokens', async () => {
    const add = async (...more: string[]) => run('client', 'add', '--json', '--name', 'App', ...more);
    const device = toJson(await add('--type', 'device', '--scope', 'tickets:read'));
    expect(device).toMatchObject({ auth_method: 'none', redirect_uris: [], scope: 'tickets:read' });
    expect(device.grant_types).toEqual(['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token']);
    const api = toJson(await add('--type', 'resource-server'));
    expect(api).toMatchObject({ grant_types: [], client_secret: expect.any(String) });
    expect((await add('--type', 'device', '--redirect-uri', 'https://app.example/')).code).toBe(1);
  });

  it('registers the privacy policy and the terms of an application', async () => {
    const add = (policy: string) =>
      run(
        ...['client', 'add', '--json', '--name', 'App', '--type', 'web'],
        ...['--redirect-uri', 'https://app.example/callback'],
        ...['--policy-uri', policy, '--tos-uri', 'https://app.example/terms'],
      );
    const added = toJson(await add('https://app.example/privacy'));
    const pages = { policy_uri: 'https://app.example/privacy', tos_uri: 'https://app.example/terms' };
    expect(added).toMatchObject(pages);
    expect((await run('client', 'show', String(added.client_id))).stdout).toMatch(/privacy policy +https:/);
    expect(await add('http://app.example/')).toMatchObject({ code: 1 });
  });

  it.each(['backchannel_logout_uri', 'initiate_login_uri'])(
    'accepts only https and loopback URLs as %s',
    async (member) => {
      const option = `--${member.replaceAll('_', '-')}`;
      const add = async (uri: string) =>
        run(
          ...['client', 'add', '--json', '--name', 'App', '--type', 'web'],
          ...['--redirect-uri', 'https://app.example/callback', option, uri],
        );
      for (const uri of ['https://app.example/log-out', 'http://127.0.0.1:4000/log-out'])
        expect(toJson(await add(uri))).toMatchObject({ [member]: uri });
      for (const uri of ['http://app.example/log-out', 'javascript:alert(1)', 'https://a@b.example/', 'x'])
        expect((await add(uri)).code).toBe(1);
    },
  );

  it('reports every error of a client at once', async () => {
    const { code, stderr } = await run(
      'client',
      'add',
      '--name',
      ' ',
      '--scope',
      'root',
      '--type',
      'spa',
      '--role',
      'admin',
    );
    expect(code).toBe(1);
    for (const reason of [
      'redirect_uri is required',
      'name needs',
      'scope must not include root',
      'role is only for machine clients',
    ])
      expect(stderr).toContain(reason);
  });

  it('rejects a master secret that differs from the server’s', async () => {
    createDevelopmentSecret(join(served.folder, 'other'));
    const { code, stderr } = await runCli([...addMachine], {
      ...served.env,
      MASTER_SECRET_FILE: join(served.folder, 'other'),
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The master secret does not match [^\n]*\n$/)]);
  });

  it('lists the keys', async () => {
    const keys = toJson(await run('keys', 'list', '--json'));
    expect(keys).toMatchObject([
      { state: 'current', algorithm: 'ES256', kid: expect.any(String), active_from: expect.any(String) },
      { state: 'next', algorithm: 'ES256', active_from: null },
      { state: 'current', algorithm: 'RS256', kid: expect.any(String), active_from: expect.any(String) },
      { state: 'next', algorithm: 'RS256', active_from: null },
    ]);
    expect((await run('keys', 'list')).stdout).toContain(keys[0].kid);
  });
});

describe('a command that fails', () => {
  it.each([
    [['--help'], 0],
    [['client', '--help'], 0],
    [['client', 'add', '--help'], 0],
    [['token', '--help'], 0],
    [[], 2],
    [['client'], 2],
    [['bogus'], 2],
    [['client', 'bogus'], 2],
    [['client', 'add'], 2],
    [['client', 'add', '--name', 'x', '--type', 'toaster'], 2],
    [['client', 'add', '--name', 'x', '--bogus'], 2],
    [['client', 'show'], 2],
    [['client', 'rotate-secret', 'x', '--overlap', 'soon'], 2],
  ])('%j exits with %d', async (args, code) => {
    const ended = await runCli(args, { DATA_DIR: newFolder() });
    expect(ended.code).toBe(code);
    expect(code === 0 ? ended.stdout : ended.stderr).not.toBe('');
  });

  it.each([[['client', 'list']], [['keys', 'list']], [['client', 'add', '--name', 'x']]])(
    '%j explains how to initialize the server',
    async (args) => {
      const { code, stderr } = await runCli(args, { DATA_DIR: newFolder() });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^[^\n]*npm start[^\n]*\n$/)]);
    },
  );

  it('reads the storage URL from STORAGE_URL_FILE, as the server does', async () => {
    const folder = newFolder();
    const env = { STORAGE_URL_FILE: join(folder, 'storage-url') };
    writeFileSync(env.STORAGE_URL_FILE, `sqlite:${join(folder, 'elsewhere.db')}\n`);
    const { code, stderr } = await runCli(['keys', 'list'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('elsewhere.db')]);
  });

  it('uses MONGODB_URL as the database and reports in one line that it is unavailable', async () => {
    const env = { DATA_DIR: newFolder(), MONGODB_URL: `mongodb://127.0.0.1:${await findFreePort()}/` };
    const { code, stderr } = await runCli(['keys', 'list'], env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^MongoDB cannot be used: [^\n]*\n$/)]);
  });
});
