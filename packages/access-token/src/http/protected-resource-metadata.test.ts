import { errorResponses, listen } from '@keydesk/server';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { protectedResourceMetadata, protectedResourceMetadataUrl } from './protected-resource-metadata.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

async function request(
  resource: string,
  path: string,
  { method = 'GET', proofAlgorithms }: { method?: string; proofAlgorithms?: string[] } = {},
) {
  const app = new Koa();
  app.use(errorResponses());
  app.use(
    protectedResourceMetadata({
      resource,
      authorizationServers: ['https://auth.example'],
      scopes: ['tickets:read'],
      name: 'Helpdesk',
      proofAlgorithms,
    }),
  );
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  const response = await fetch(`${server.url}${path}`, { method });
  const text = await response.text();
  await server.close();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

describe('protected resource metadata (RFC 9728 §2, §3)', () => {
  it('lists authorization servers, scopes and bearer methods', async () => {
    const { status, headers, body } = await request('https://api.example', wellKnown);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(body).toEqual({
      resource: 'https://api.example',
      authorization_servers: ['https://auth.example'],
      scopes_supported: ['tickets:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Helpdesk',
    });
  });

  it('lists the algorithms of DPoP proofs when bound tokens are accepted', async () => {
    const { body } = await request('https://api.example', wellKnown, { proofAlgorithms: ['ES256'] });
    expect(body).toMatchObject({
      dpop_signing_alg_values_supported: ['ES256'],
      dpop_bound_access_tokens_required: false,
    });
  });

  it('is served between host and path for a resource with a path (§3.1)', async () => {
    expect(await request('https://api.example/v1', `${wellKnown}/v1`)).toMatchObject({
      status: 200,
      body: { resource: 'https://api.example/v1' },
    });
    expect(await request('https://api.example/v1', wellKnown)).toMatchObject({ status: 404 });
    expect(protectedResourceMetadataUrl('https://api.example/v1')).toBe(`https://api.example${wellKnown}/v1`);
    expect(protectedResourceMetadataUrl('https://api.example/')).toBe(`https://api.example${wellKnown}`);
  });

  it('is read-only', async () => {
    expect(await request('https://api.example', wellKnown, { method: 'HEAD' })).toMatchObject({
      status: 200,
    });
    const { status, headers } = await request('https://api.example', wellKnown, { method: 'POST' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it.each(['api', 'urn:api', 'https://api.example/#part'])(
    'does not start with %s, which is not a resource identifier',
    (resource) => {
      expect(() => protectedResourceMetadata({ resource, authorizationServers: [], scopes: [] })).toThrow(
        TypeError,
      );
    },
  );
});
