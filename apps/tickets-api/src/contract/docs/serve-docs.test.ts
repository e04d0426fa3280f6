import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { type Answer, startApi } from '../../tests/api.fixture.ts';

const clientId = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
const api = useStarted(() => startApi({ env: { DOCS_CLIENT_ID: clientId } }));
const plain = useStarted(() => startApi({}));

function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return api.request('GET', path, undefined, { Authorization: undefined, ...headers });
}

async function policyOf(path: string): Promise<string[]> {
  return ((await get(path)).headers.get('Content-Security-Policy') ?? '').split('; ');
}

const closed = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

describe('pages of /docs', () => {
  test.each([
    ['/docs', 'text/html; charset=utf-8', '<h1 id="keydesk-api">'],
    ['/docs/quick-start', 'text/html; charset=utf-8', '<h1 id="quick-start">'],
    ['/docs/errors', 'text/html; charset=utf-8', '<h3 id="validation_failed">'],
    ['/docs/http-api', 'text/html; charset=utf-8', '<h1 id="the-http-api">'],
    ['/docs/reference', 'text/html; charset=utf-8', 'id="reader"'],
    ['/docs/signed-in', 'text/html; charset=utf-8', 'Close this window'],
    ['/docs/openapi.json', 'application/json; charset=utf-8', '"openapi":"3.1'],
    ['/docs/search.json', 'application/json; charset=utf-8', '"address":"errors#validation_failed"'],
    ['/docs/bar.css', 'text/css; charset=utf-8', ':root'],
    ['/docs/guide.css', 'text/css; charset=utf-8', '.frame'],
    ['/docs/search.js', 'text/javascript; charset=utf-8', 'addEventListener'],
    ['/docs/reader.js', 'text/javascript; charset=utf-8', 'createApiReference'],
    ['/docs/icon.svg', 'image/svg+xml', '<svg'],
  ])('%s is served without a token, cacheable for minutes with revalidation', async (path, type, part) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe(type);
    expect(text).toContain(part);
    expect(headers.get('Cache-Control')).toBe('public, max-age=300');
    const again = await get(path, { 'If-None-Match': headers.get('ETag') ?? '' });
    expect(again.status).toBe(304);
    expect(again.text).toBe('');
  });

  test('load the script of the reader from this server, compressed and immutable', async () => {
    const { text: page } = await get('/docs/reference');
    const name = /<script src="(scalar-\d+\.\d+\.\d+\.js)" defer>/.exec(page)?.[1];
    const script = await get(`/docs/${name}`, { 'Accept-Encoding': 'br' });
    expect(script.status).toBe(200);
    expect(script.text).toContain('createApiReference');
    expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('Content-Encoding')).toBe('br');
    expect(script.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    const cached = { 'If-None-Match': script.headers.get('ETag') ?? '', 'Accept-Encoding': 'br' };
    expect((await get(`/docs/${name}`, cached)).status).toBe(304);
  });
});

describe('security policies of the pages (CSP 3)', () => {
  test('allow guides only their own assets and nothing inline', async () => {
    const self = ["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"];
    expect(await policyOf('/docs/errors')).toEqual(["default-src 'none'", ...self, ...closed]);
  });

  test('allow the reader inline styles, the API and the authorization server, and only scripts of this origin', async () => {
    expect(await policyOf('/docs/reference')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data: blob:",
      `connect-src 'self' ${api.issuer.issuer}`,
      ...closed,
    ]);
  });

  test('forbid framing and isolate pages from their opener, except the sign-in window', async () => {
    const openers: Record<string, string> = {
      '/docs': 'same-origin',
      '/docs/reference': 'same-origin-allow-popups',
      '/docs/signed-in': 'unsafe-none',
    };
    for (const [path, policy] of Object.entries(openers)) {
      const { headers } = await get(path);
      expect(headers.get('X-Frame-Options')).toBe('DENY');
      expect(headers.get('Cross-Origin-Opener-Policy')).toBe(policy);
    }
  });
});

describe('sign-in of the reader', () => {
  test('uses the client of DOCS_CLIENT_ID with PKCE (RFC 7636)', async () => {
    const { text } = await get('/docs/reference');
    expect(text).toContain(clientId);
    expect(text).toContain('http://api.example/docs/signed-in');
    const { json } = await get('/docs/openapi.json');
    expect(json).toMatchObject({
      components: {
        securitySchemes: {
          oauth2: {
            flows: {
              authorizationCode: {
                authorizationUrl: `${api.issuer.issuer}/auth`,
                'x-usePkce': 'SHA-256',
              },
              clientCredentials: { tokenUrl: `${api.issuer.issuer}/token` },
            },
          },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
    });
  });

  test('is absent without that setting; a token can still be pasted', async () => {
    const { json } = await plain.request('GET', '/docs/openapi.json', undefined, {
      Authorization: undefined,
    });
    const { securitySchemes } = json.components as { securitySchemes: Record<string, { flows?: object }> };
    expect(Object.keys(securitySchemes.oauth2?.flows ?? {})).toEqual(['clientCredentials']);
    expect(securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
  });
});

describe('document of the reader', () => {
  test('has every operation once, except HEAD and OPTIONS', async () => {
    const { json: full } = await get('/openapi-full.json');
    const { json } = await get('/docs/openapi.json');
    const ids = Object.values(json.paths as Record<string, Record<string, { operationId?: string }>>)
      .flatMap((item) => Object.entries(item))
      .filter(([name]) => name !== 'parameters')
      .map(([method, { operationId }]) => `${method} ${operationId}`);
    const all = Object.values(full.paths as Record<string, Record<string, { operationId?: string }>>)
      .flatMap((item) => Object.entries(item))
      .filter(([name]) => !['parameters', 'head', 'options'].includes(name))
      .map(([method, { operationId }]) => `${method} ${operationId}`);
    expect(ids).toEqual(all);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
