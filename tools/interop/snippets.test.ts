import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describeWith, useStarted } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SnippetApplication } from '../../apps/auth/src/pages/snippets/application.ts';
import { createSnippets, type Snippet } from '../../apps/auth/src/pages/snippets/snippets.ts';
import { API_SCOPE, type Keydesk, SCOPE, startKeydesk } from './keydesk.fixture.ts';

const REDIRECT_URI = 'https://app.example/callback';

interface Program {
  command: string;
  args: readonly string[];
}

/** Builds a program from a snippet in an empty folder. */
type Build = (code: string, folder: string) => Promise<Program>;

const clients = [
  { type: 'machine', authMethod: 'client_secret_basic', scope: API_SCOPE },
  { type: 'machine', authMethod: 'client_secret_post', scope: API_SCOPE },
  { type: 'web', authMethod: 'client_secret_basic', scope: SCOPE },
  { type: 'web', authMethod: 'client_secret_post', scope: 'openid email' },
  { type: 'native', authMethod: 'none', scope: SCOPE },
  { type: 'native', authMethod: 'none', scope: 'openid' },
] as const;
const keyClients = [
  { type: 'machine', authMethod: 'private_key_jwt', scope: API_SCOPE },
  { type: 'web', authMethod: 'private_key_jwt', scope: SCOPE },
] as const;

type SnippetClient = (typeof clients | typeof keyClients)[number];

/** Registers the client, runs its snippet unchanged, and returns the output. */
async function run(
  keydesk: Keydesk,
  { type, authMethod, scope }: SnippetClient,
  language: Snippet['language'],
  build: Build,
): Promise<string> {
  const { issuer, api } = keydesk;
  const { keys, privateKey } = createKey();
  const hasKey = authMethod === 'private_key_jwt';
  const more = [
    ...(type === 'machine' ? ['--role', 'agent'] : ['--redirect-uri', REDIRECT_URI]),
    ...(type === 'native' || hasKey ? [] : ['--auth-method', authMethod]),
    ...(hasKey ? ['--jwks', keydesk.writeFile(`${type}.json`, { keys })] : []),
  ];
  const env = await keydesk.register(`${language} ${type}`, type, ...more);
  const redirectUris = type === 'machine' ? [] : [REDIRECT_URI];
  const { CLIENT_ID: id = '' } = env;
  const application = { id, type, authMethod, redirectUris, scopes: scope.split(' '), keys };
  const server = {
    issuer,
    authorizationEndpoint: `${issuer}/auth`,
    tokenEndpoint: `${issuer}/token`,
    userinfoEndpoint: `${issuer}/me`,
    exampleUrl: `${api}/tickets.json`,
  };
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-snippet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { command, args } = await build(snippetOf(application, server, language), folder);
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...keydesk.env, ...env, PRIVATE_KEY: privateKey },
  });
  child.stdout.on('data', async (output: Buffer) => {
    const url = output.toString().match(/https:\S+\/auth\?\S+/)?.[0];
    if (url !== undefined) child.stdin.end(`${(await keydesk.authorize(url)).url}\n`);
  });
  return (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
}

function createKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty = '', ...members } = publicKey.export({ format: 'jwk' });
  return {
    keys: [{ kty, ...members, kid: 'key-1' }],
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

function snippetOf(
  application: SnippetApplication,
  server: Parameters<typeof createSnippets>[1],
  language: Snippet['language'],
): string {
  return createSnippets(application, server).find((snippet) => snippet.language === language)?.code ?? '';
}

/** Returns the expected output: tickets, or userinfo if the application must not read tickets. */
const resultOf = ({ scope }: SnippetClient) =>
  scope.includes('tickets:read') ? /['"]tickets['"]: ?\[/ : /['"]sub['"]: ?['"]/;

describeWith('python-clients', 'the snippet in Python', (command) => {
  const keydesk = useStarted(startKeydesk);

  it.each([...clients, ...keyClients])(
    'gets a token and uses it for a $type by $authMethod ($scope)',
    async (client) => {
      const build: Build = async (code) => ({ command, args: ['-c', code] });
      expect(await run(keydesk, client, 'python', build)).toMatch(resultOf(client));
    },
  );
});

describeWith('go', 'the snippet in Go', (go) => {
  const keydesk = useStarted(startKeydesk);

  /** Builds with the module versions of the suite. */
  const build: Build = async (code, folder) => {
    for (const file of ['go.mod', 'go.sum'])
      copyFileSync(join(import.meta.dirname, 'go', file), join(folder, file));
    writeFileSync(join(folder, 'main.go'), `${code}\n`);
    await promisify(execFile)(go, ['build', '-o', 'snippet', '.'], { cwd: folder });
    return { command: join(folder, 'snippet'), args: [] };
  };

  it.each(clients)('gets a token and uses it for a $type by $authMethod ($scope)', async (client) => {
    expect(await run(keydesk, client, 'go', build)).toMatch(resultOf(client));
  });
});

describe('the snippets without a test run', () => {
  const server = {
    issuer: 'https://issuer.example',
    authorizationEndpoint: 'https://issuer.example/auth',
    tokenEndpoint: 'https://issuer.example/token',
    userinfoEndpoint: 'https://issuer.example/me',
    exampleUrl: 'https://api.example/tickets.json',
  };
  const phone = {
    id: 'CLIENT_ID',
    type: 'native',
    authMethod: 'none',
    redirectUris: ['com.example.printshop:/callback'],
    scopes: SCOPE.split(' '),
  } as const;

  /** Returns the code blocks of one language of a page. */
  const documented = (page: string, language: string) =>
    [
      ...readFileSync(join(import.meta.dirname, '../../docs/connect', page), 'utf8').matchAll(
        new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, 'gs'),
      ),
    ]
      .map(([, code]) => code)
      .join('\n\n');

  it.each([
    ['swift', '"\\(api)/tickets.json"'],
    ['kotlin', '"$api/tickets.json"'],
  ] as const)('match the code in docs/connect with the values of the application: %s', (language, url) => {
    const code = snippetOf(phone, server, language)
      .replaceAll('"https://issuer.example"', 'issuer')
      .replaceAll('"CLIENT_ID"', 'clientId')
      .replaceAll('"https://api.example/tickets.json"', url);
    expect(code).toBe(documented('phones.md', language));
  });
});
