import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCertificate } from '@keydesk/testing';
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBrowser } from '../../apps/auth/src/tests/browser.fixture.ts';
import { startKeydesk } from '../start/start.fixture.ts';

const REDIRECT_URI = 'http://127.0.0.1:33418/callback';
const metadata = {
  client_name: 'Notebook',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/** Creates a folder that is removed after the test. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Publishes the metadata document of an MCP client; its `url` is the `client_id`. */
async function publishDocument() {
  const { cert, key } = createCertificate();
  const server = createServer({ cert, key }, (_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ client_id: url, ...metadata }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `https://localhost:${(server.address() as AddressInfo).port}/client.json`;
  const certificate = join(newFolder(), 'cert.pem');
  writeFileSync(certificate, cert);
  return { url, certificate };
}

/** Starts both apps in a new folder; returns functions that use the printed account. */
async function startFresh(env: Record<string, string> = {}) {
  const { authPort, apiPort, output, folder } = await startKeydesk(env);
  const [, password = ''] = /customer@example\.com +(\S+)/.exec(output()) ?? [];
  const [issuer, api] = [`http://127.0.0.1:${authPort}`, `http://127.0.0.1:${apiPort}`];
  const browser = createBrowser(issuer);

  /** Signs in if needed, allows the request, and returns the code. */
  async function allow(url: URL): Promise<string> {
    let page = await browser.open(url);
    if (page.html.includes('id="sign-in"'))
      page = await browser.submit(page, 'sign-in', { email: 'customer@example.com', password });
    page = await browser.submit(page, 'consent', { decision: 'allow' });
    expect([page.status, page.url.origin + page.url.pathname]).toEqual([0, REDIRECT_URI]);
    return page.url.searchParams.get('code') ?? '';
  }

  /** Runs a command against the server's database and returns its result. */
  async function run(...args: readonly string[]) {
    const command = [join(import.meta.dirname, '../../apps/auth/src/cli/main.ts'), ...args, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: {
        STORAGE_URL: `sqlite:${join(folder, 'auth.db')}`,
        MASTER_SECRET_FILE: join(folder, 'master-secret'),
      },
    });
    return JSON.parse(stdout) as Record<string, string>;
  }

  return { issuer, api, allow, run };
}

/** Creates the storage of an MCP client between steps of the SDK. */
function createMemory(clientMetadataUrl?: string) {
  let client: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = '';
  let asked: URL | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT_URI,
    clientMetadata: { ...metadata, redirect_uris: [REDIRECT_URI] },
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information;
    },
    tokens: () => tokens,
    saveTokens: (issued) => {
      tokens = issued;
    },
    redirectToAuthorization: (url) => {
      asked = url;
    },
    saveCodeVerifier: (created) => {
      verifier = created;
    },
    codeVerifier: () => verifier,
  };
  return {
    provider,
    asked: () => asked ?? new URL('about:blank'),
    clientId: () => client?.client_id,
    tokens: () => tokens ?? { access_token: '', token_type: '' },
  };
}

const bearer = ({ access_token }: OAuthTokens) => ({ Authorization: `Bearer ${access_token}` });

describe('the SDK of the Model Context Protocol', () => {
  it('connects without any registration, and refreshes (MCP authorization, RFC 9728 §5)', async () => {
    const { url, certificate } = await publishDocument();
    const { api, allow } = await startFresh({ NODE_EXTRA_CA_CERTS: certificate });
    const serverUrl = `${api}/tickets.json`;
    const { provider, asked, clientId, tokens } = createMemory(url);
    const readTickets = async () => (await fetch(serverUrl, { headers: bearer(tokens()) })).status;

    const challenge = extractWWWAuthenticateParams(await fetch(serverUrl));
    expect(challenge.scope).toBe('tickets:read');
    expect(await auth(provider, { serverUrl, ...challenge })).toBe('REDIRECT');
    expect(Object.fromEntries(asked().searchParams)).toMatchObject({ scope: 'tickets:read', resource: api });
    const authorizationCode = await allow(asked());
    expect(await auth(provider, { serverUrl, ...challenge, authorizationCode })).toBe('AUTHORIZED');
    expect(clientId()).toBe(url);
    expect(decodeJwt(tokens().access_token)).toMatchObject({ aud: api, client_id: url });
    expect(await readTickets()).toBe(200);

    const scope = 'tickets:read offline_access';
    expect(await auth(provider, { serverUrl, scope })).toBe('REDIRECT');
    const next = { serverUrl, scope, authorizationCode: await allow(asked()) };
    expect(await auth(provider, next)).toBe('AUTHORIZED');
    const before = tokens().access_token;
    expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED');
    expect(tokens().access_token).not.toBe(before);
    expect(await readTickets()).toBe(200);
  });

  it('registers with an initial access token, and gets every scope that the API lists (RFC 7591 §3)', async () => {
    const { issuer, api, allow, run } = await startFresh();
    const { token } = await run('registration-token', 'add', '--name', 'MCP');
    const fetchFn: typeof fetch = (input, init) =>
      String(input) === `${issuer}/reg`
        ? fetch(input, { ...init, headers: { ...init?.headers, Authorization: `Bearer ${token}` } })
        : fetch(input, init);
    const { provider, asked, tokens } = createMemory();
    const serverUrl = `${api}/`;
    expect(await auth(provider, { serverUrl, fetchFn })).toBe('REDIRECT');
    const authorizationCode = await allow(asked());
    expect(await auth(provider, { serverUrl, fetchFn, authorizationCode })).toBe('AUTHORIZED');
    const answer = await fetch(`${api}/.well-known/oauth-protected-resource`);
    const { scopes_supported } = (await answer.json()) as { scopes_supported: string[] };
    expect(tokens().scope).toBe(scopes_supported.join(' '));
    const headers = { ...bearer(tokens()), 'Content-Type': 'application/json' };
    const body = JSON.stringify({ subject: 'Added by a tool' });
    expect((await fetch(`${api}/tickets.json`, { method: 'POST', headers, body })).status).toBe(201);
  });

  it('receives from the API which token to send and which scope to request (RFC 6750 §3)', async () => {
    const { url, certificate } = await publishDocument();
    const { api, allow } = await startFresh({ NODE_EXTRA_CA_CERTS: certificate });
    const serverUrl = `${api}/tickets.json`;
    const { provider, asked, tokens } = createMemory(url);
    // Without a resource or scope of the API, the access token is valid only at userinfo.
    provider.validateResourceURL = async () => undefined;
    expect(await auth(provider, { serverUrl, scope: 'openid' })).toBe('REDIRECT');
    expect(await auth(provider, { serverUrl, authorizationCode: await allow(asked()) })).toBe('AUTHORIZED');
    const { access_token, id_token = '' } = tokens();
    const detailOf = async (token: string) => {
      const answer = await fetch(serverUrl, { headers: { Authorization: `Bearer ${token}` } });
      expect(extractWWWAuthenticateParams(answer).scope).toBe('tickets:read');
      return ((await answer.json()) as { detail: string }).detail;
    };
    expect(await detailOf(access_token)).toBe('This token is not for this API; request tickets:read.');
    expect(await detailOf(id_token)).toMatch(/^This token is not an access token/);
  });
});
