import { spawn } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { describeWith, useStarted } from '@keydesk/testing';
import { SignJWT } from 'jose';
import type { ClientMetadata } from 'oidc-provider';
import { describe, expect, it } from 'vitest';
import type { SnippetApplication } from './application.ts';
import { startTestServer } from './snippet-server.fixture.ts';
import { createSnippets, type Snippet } from './snippets.ts';

const SECRET = "a'secret with $HOME and `date`";
const KID = 'the "first" key\'s';
const redirectUris = ["https://app.example/call'back?a=1&b=2", "https://app.example/o'ther"];
const scopes = ['openid', 'offline_access', 'tickets:read'];

const machine = {
  id: 'machine',
  type: 'machine',
  authMethod: 'client_secret_basic',
  redirectUris: [],
  scopes: ['tickets:read', 'tickets:write'],
} satisfies SnippetApplication;
const machinePost = { ...machine, id: 'machine-post', authMethod: 'client_secret_post' } as const;
const web = { ...machine, id: 'web', type: 'web', redirectUris, scopes } as const;
const native = { ...web, id: 'native', type: 'native', authMethod: 'none' } as const;
const spa = { ...native, id: 'spa', type: 'spa' } as const;
const signInOnly = { ...native, id: 'sign-in-only', scopes: ['openid'] } as const;
const writer = { ...machine, id: 'writer', scopes: ['tickets:write'] } as const;

/** Creates an application with its own key pair; `members` are added to its JWK. */
function withKey<Application extends SnippetApplication>(
  application: Application,
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  members: Readonly<Record<string, string>> = {},
) {
  const { kty = '', crv, ...rest } = publicKey.export({ format: 'jwk' });
  return {
    ...application,
    authMethod: 'private_key_jwt' as const,
    keys: [{ kty, crv, ...rest, ...members }],
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const keyMachine = withKey({ ...machine, id: 'es256' }, ec('P-256'), { kid: KID, alg: 'ES256' });
const keyMachines = [
  keyMachine,
  withKey({ ...machine, id: 'es384' }, ec('P-384')),
  withKey({ ...machine, id: 'ps256' }, generateKeyPairSync('rsa', { modulusLength: 2048 })),
  withKey({ ...machine, id: 'rs256' }, generateKeyPairSync('rsa', { modulusLength: 2048 }), { alg: 'RS256' }),
  withKey({ ...machine, id: 'ed25519' }, generateKeyPairSync('ed25519')),
  withKey({ ...machine, id: 'eddsa' }, generateKeyPairSync('ed25519'), { alg: 'EdDSA' }),
];
const keyWeb = withKey({ ...web, id: 'key-web' }, ec('P-256'), { kid: KID });

function register(application: SnippetApplication): ClientMetadata {
  const { id, authMethod, redirectUris, scopes, type, keys } = application;
  return {
    client_id: id,
    token_endpoint_auth_method: authMethod,
    redirect_uris: [...redirectUris],
    scope: scopes.join(' '),
    application_type: type === 'native' ? 'native' : 'web',
    response_types: type === 'machine' ? [] : ['code'],
    grant_types: type === 'machine' ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
    ...(authMethod.startsWith('client_secret_') && { client_secret: SECRET }),
    ...(keys && { jwks: { keys: [...keys] as never[] } }),
  };
}

describe('the snippets of an application', () => {
  const server = useStarted(() =>
    startTestServer(
      [machine, machinePost, web, native, spa, signInOnly, writer, ...keyMachines, keyWeb].map(register),
    ),
  );

  /** Runs a program with the secret in its environment; `answer` returns the input for its prompt. */
  async function run(
    command: string,
    args: readonly string[],
    answer: (url: string) => Promise<string>,
    variables: Readonly<Record<string, string>> = {},
  ) {
    const env = { ...process.env, CLIENT_SECRET: SECRET, ...variables };
    const child = spawn(command, args, { cwd: import.meta.dirname, env });
    child.stdout.once('data', async (output: Buffer) => {
      const url = output.toString().match(/http:\S+\/auth\?\S+/)?.[0];
      if (url !== undefined) child.stdin.end(`${await answer(url)}\n`);
    });
    const outputs = await Promise.all([text(child.stdout), text(child.stderr)]);
    return outputs.join('');
  }

  const snippetOf = (language: Snippet['language'], application: SnippetApplication) =>
    createSnippets(application, server).find((snippet) => snippet.language === language)?.code ?? '';

  const runScript = (code: string, variables?: Readonly<Record<string, string>>) =>
    run(
      process.execPath,
      ['--input-type=module', '--eval', code],
      async (url) => (await server.authorize(url)).href,
      variables,
    );

  it.each([machine, machinePost])('call the API unmodified, in JavaScript, as $id', async (application) => {
    const output = await runScript(snippetOf('javascript', application));
    expect(output).toContain(`client: '${application.id}', scope: 'tickets:read tickets:write'`);
  });

  it.each([web, native])('sign a user in and call the API, in JavaScript, as $id', async (application) => {
    const output = await runScript(snippetOf('javascript', application));
    expect(output).toContain(`client: '${application.id}', scope: 'openid tickets:read'`);
  });

  it.each([...keyMachines, keyWeb])(
    'sign with the key of $id in JavaScript (RFC 7523 §3)',
    async (application) => {
      const { id, privateKey } = application;
      const output = await runScript(snippetOf('javascript', application), { PRIVATE_KEY: privateKey });
      expect(output).toContain(`client: '${id}'`);
    },
  );

  it('read the claims of the user, in JavaScript, if the application has no other scopes', async () => {
    expect(await runScript(snippetOf('javascript', signInOnly))).toContain("{ sub: 'ada' }");
  });

  it('read no tickets if the application lacks the scope', async () => {
    expect(await runScript(snippetOf('javascript', writer))).toMatch(/^[\w-]{20,}\n$/);
    for (const { code } of [signInOnly, writer].flatMap((each) => createSnippets(each, server)))
      expect(code).not.toContain(server.exampleUrl);
  });

  it('sign a user in and call the API from a web page, as a single-page application', async () => {
    // A page is loaded twice, before and after sign-in; its state in between is in sessionStorage.
    const browser = `
      const kept = new Map(JSON.parse(process.argv[1]));
      globalThis.sessionStorage = { getItem: (key) => kept.get(key), setItem: (key, value) => kept.set(key, value) };
      globalThis.location = new URL(process.argv[2]);
      location.assign = (url) => console.log(JSON.stringify({ url: url.href, kept: [...kept] }));`;
    const load = async (kept: unknown, url: string) => {
      const code = `${browser}\n${snippetOf('javascript', spa)}`;
      return run(
        process.execPath,
        ['--input-type=module', '--eval', code, JSON.stringify(kept), url],
        async () => '',
      );
    };
    const { url, kept } = JSON.parse(await load([], redirectUris[1] ?? ''));
    const output = await load(kept, (await server.authorize(url)).href);
    expect(output).toContain("client: 'spa', scope: 'openid tickets:read'");
  });

  describeWith('curl', 'in a shell', () => {
    const runShell = (code: string, variables?: Readonly<Record<string, string>>) =>
      run(
        'sh',
        ['-c', code],
        async (url) => (await server.authorize(url)).searchParams.get('code') ?? '',
        variables,
      );

    it.each([
      [keyMachine, '"client":"es256"'],
      [keyWeb, '"access_token":"'],
    ])('present the client assertion that they describe (RFC 7523 §2.2)', async (application, output) => {
      const code = snippetOf('curl', application);
      const { id, privateKey } = application;
      expect(code).toContain(
        `# ES256 and the kid ${JSON.stringify(KID)}, with these claims: iss and sub "${id}"`,
      );
      expect(code).toContain(`# aud "${server.issuer}"`);
      const claims = { iss: id, sub: id, aud: server.issuer, jti: randomUUID() };
      const assertion = new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: KID })
        .setExpirationTime('1m');
      const CLIENT_ASSERTION = await assertion.sign(createPrivateKey(privateKey));
      expect(await runShell(code, { CLIENT_ASSERTION })).toContain(output);
    });

    it.each([machine, machinePost])('call the API unmodified, as $id', async (application) => {
      const output = await runShell(snippetOf('curl', application));
      expect(output).toContain(`"client":"${application.id}","scope":"tickets:read tickets:write"`);
    });

    it('print the token of an application that cannot read tickets', async () => {
      expect(await runShell(snippetOf('curl', writer))).toMatch(/^[\w-]{20,}\n$/);
    });

    it.each([web, native, spa])('sign a user in and get tokens, as $id', async (application) => {
      const output = await runShell(snippetOf('curl', application));
      expect(output).toMatch(/"access_token":"[\w-]+".*"refresh_token":"[\w-]+"/);
    });
  });

  it('are omitted without a redirect URI, or if the client has requirements that they do not meet', () => {
    const onlyQuery = createSnippets({ ...web, redirectUris: redirectUris.slice(0, 1) }, server);
    expect(onlyQuery.map(({ language }) => language)).toEqual(['curl']);
    expect(createSnippets({ ...web, redirectUris: [] }, server)).toEqual([]);
    expect(createSnippets({ ...machine, isHardened: true }, server)).toEqual([]);
    const ofKey = createSnippets(keyWeb, server);
    expect(ofKey.map(({ language }) => language)).toEqual(['curl', 'javascript', 'python']);
    const ed25519 = {
      ...web,
      authMethod: 'private_key_jwt',
      keys: [{ kty: 'OKP', crv: 'Ed25519', alg: 'Ed25519' }],
    } as const;
    expect(createSnippets(ed25519, server).map(({ language }) => language)).toEqual(['curl', 'javascript']);
  });

  it('have no exception for plain http if the server uses https', () => {
    const [, javascript] = createSnippets(machine, { ...server, issuer: 'https://auth.example' });
    expect(javascript?.code).not.toContain('allowInsecureRequests');
  });
});
