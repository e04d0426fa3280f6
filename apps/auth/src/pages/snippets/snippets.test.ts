import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describeWith, useStarted } from '@keydesk/testing';
import type { ClientMetadata } from 'oidc-provider';
import { describe, expect, it } from 'vitest';
import type { SnippetApplication } from './application.ts';
import { startTestServer } from './snippet-server.fixture.ts';
import { createSnippets, type Snippet } from './snippets.ts';

const SECRET = "a'secret with $HOME and `date`";
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

function register({ id, authMethod, redirectUris, scopes, type }: SnippetApplication): ClientMetadata {
  return {
    client_id: id,
    token_endpoint_auth_method: authMethod,
    redirect_uris: [...redirectUris],
    scope: scopes.join(' '),
    application_type: type === 'native' ? 'native' : 'web',
    response_types: type === 'machine' ? [] : ['code'],
    grant_types: type === 'machine' ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
    ...(authMethod === 'none' ? {} : { client_secret: SECRET }),
  };
}

describe('the snippets of an application', () => {
  const server = useStarted(() =>
    startTestServer([machine, machinePost, web, native, spa, signInOnly, writer].map(register)),
  );

  /** Runs a program with the secret in its environment; what it asks is answered with what `answer` makes of it. */
  async function run(command: string, args: readonly string[], answer: (url: string) => Promise<string>) {
    const env = { ...process.env, CLIENT_SECRET: SECRET };
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

  const runScript = (code: string) =>
    run(
      process.execPath,
      ['--input-type=module', '--eval', code],
      async (url) => (await server.authorize(url)).href,
    );

  it.each([machine, machinePost])('call the API as they are, in JavaScript, for $id', async (application) => {
    const output = await runScript(snippetOf('javascript', application));
    expect(output).toContain(`client: '${application.id}', scope: 'tickets:read tickets:write'`);
  });

  it.each([web, native])('sign a person in and call the API, in JavaScript, for $id', async (application) => {
    const output = await runScript(snippetOf('javascript', application));
    expect(output).toContain(`client: '${application.id}', scope: 'openid tickets:read'`);
  });

  it('ask who somebody is, in JavaScript, for an application that may ask for nothing else', async () => {
    expect(await runScript(snippetOf('javascript', signInOnly))).toContain("{ sub: 'ada' }");
  });

  it('read no tickets for an application that may not', async () => {
    expect(await runScript(snippetOf('javascript', writer))).toMatch(/^[\w-]{20,}\n$/);
    for (const { code } of [signInOnly, writer].flatMap((each) => createSnippets(each, server)))
      expect(code).not.toContain(server.exampleUrl);
  });

  it('sign a person in and call the API from a page, for a single-page application', async () => {
    // A page is loaded twice, before and after signing in; what it keeps in between is in sessionStorage.
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
    const runShell = (code: string) =>
      run('sh', ['-c', code], async (url) => (await server.authorize(url)).searchParams.get('code') ?? '');

    it.each([machine, machinePost])('call the API as they are, for $id', async (application) => {
      const output = await runShell(snippetOf('curl', application));
      expect(output).toContain(`"client":"${application.id}","scope":"tickets:read tickets:write"`);
    });

    it('print the token of an application that may not read tickets', async () => {
      expect(await runShell(snippetOf('curl', writer))).toMatch(/^[\w-]{20,}\n$/);
    });

    it.each([web, native, spa])('sign a person in and get tokens, for $id', async (application) => {
      const output = await runShell(snippetOf('curl', application));
      expect(output).toMatch(/"access_token":"[\w-]+".*"refresh_token":"[\w-]+"/);
    });
  });

  it('are left out where they could not work: without a redirect URI, or with a key of its own', () => {
    const onlyQuery = createSnippets({ ...web, redirectUris: redirectUris.slice(0, 1) }, server);
    expect(onlyQuery.map(({ language }) => language)).toEqual(['curl']);
    expect(createSnippets({ ...web, redirectUris: [] }, server)).toEqual([]);
    expect(createSnippets({ ...machine, authMethod: 'private_key_jwt' }, server)).toEqual([]);
  });

  it('talk to a server on https with no exception from it', () => {
    const [, javascript] = createSnippets(machine, { ...server, issuer: 'https://auth.example' });
    expect(javascript?.code).not.toContain('allowInsecureRequests');
  });
});
