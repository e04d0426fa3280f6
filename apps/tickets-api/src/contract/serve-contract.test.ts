import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { type Answer, startApi } from '../tests/api.fixture.ts';

const api = useStarted(startApi);

function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return api.request('GET', path, undefined, { Authorization: undefined, ...headers });
}

describe('documents of the contract', () => {
  test.each([
    ['/openapi.json', 'application/json; charset=utf-8', '"/tickets.json":{'],
    ['/openapi-full.json', 'application/json; charset=utf-8', '"/tickets.{format}":{'],
    ['/schema.xsd', 'application/xml; charset=utf-8', '<xs:element name="ticket"'],
    ['/problem.xsd', 'application/xml; charset=utf-8', '<xs:element name="problem"'],
  ])('%s is served without a token, cacheable for minutes with revalidation', async (path, type, part) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe(type);
    expect(text).toContain(part);
    expect(headers.get('Cache-Control')).toMatch(/^public, max-age=\d{2,3}$/);
    const again = await get(path, { 'If-None-Match': headers.get('ETag') ?? '' });
    expect(again.status).toBe(304);
    expect(again.text).toBe('');
  });

  test.each(['/openapi.json', '/openapi-full.json'])(
    '%s has the URLs of this API and its authorization server',
    async (path) => {
      const { json } = await get(path);
      const tokenUrl = `${api.issuer.issuer}/token`;
      const scopes = { 'tickets:read': expect.any(String), 'tickets:delete': expect.any(String) };
      const clientCredentials = { tokenUrl, scopes };
      const authorizationCode = {
        authorizationUrl: `${api.issuer.issuer}/auth`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes,
      };
      expect(json).toMatchObject({
        servers: [{ url: 'http://api.example' }],
        components: { securitySchemes: { oauth2: { flows: { clientCredentials, authorizationCode } } } },
      });
    },
  );

  test('are read-only (RFC 9110 §15.5.6)', async () => {
    const { status, headers } = await api.request('POST', '/openapi.json', {});
    expect(status).toBe(405);
    expect(headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect((await api.request('HEAD', '/docs')).status).toBe(200);
    expect((await api.request('OPTIONS', '/docs')).status).toBe(204);
  });
});

test('machine-readable documents are never rendered as a page (CSP 3)', async () => {
  const { headers } = await get('/openapi.json');
  expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'");
});
