import { createJwks } from '@keydesk/access-token';
import { createDpopKey, useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from './api.fixture.ts';

const api = useStarted(startApi);

const as = (claims: Record<string, unknown>) => ({ Authorization: `Bearer ${api.issuer.token(claims)}` });

const minimalBody = (path: string) => (path.includes('replies') ? { body: 'x' } : { subject: 'x' });
const takesBody = (method: string, path: string) =>
  ['POST', 'PUT', 'PATCH'].includes(method) && !path.includes('restore');

describe('scopes (RFC 6750 §3.1)', () => {
  test.each([
    ['GET', '/tickets.json', 'tickets:read'],
    ['HEAD', '/tickets.json', 'tickets:read'],
    ['GET', '/ticket/ID.json', 'tickets:read'],
    ['POST', '/tickets.json', 'tickets:write'],
    ['PUT', '/ticket/ID.json', 'tickets:write'],
    ['PATCH', '/ticket/ID.json', 'tickets:write'],
    ['DELETE', '/ticket/ID.json', 'tickets:delete'],
    ['POST', '/ticket/ID/restore.json', 'tickets:write'],
    ['GET', '/ticket/ID/replies.json', 'tickets:read'],
    ['POST', '/ticket/ID/replies.json', 'tickets:write'],
    ['GET', '/ticket/ID/events.json', 'tickets:read'],
    ['GET', '/people.json', 'tickets:read'],
    ['GET', '/me.json', 'tickets:read'],
    ['GET', '/ticket_statuses.json', 'tickets:read'],
  ])('%s %s requires %s', async (method, path, scope) => {
    const { id } = await api.addTicket();
    const all = ['tickets:read', 'tickets:write', 'tickets:delete', 'openid'];
    const body = takesBody(method, path) ? minimalBody(path) : undefined;
    const send = (scopes: string) =>
      api.request(method, path.replace('ID', id), body, as({ role: 'agent', scope: scopes }));
    const denied = await send(all.filter((each) => each !== scope).join(' '));
    expect(denied.status).toBe(403);
    expect(denied.headers.get('WWW-Authenticate')).toContain(`error="insufficient_scope"`);
    expect(denied.headers.get('WWW-Authenticate')).toContain(`scope="${scope}"`);
    expect((await send(scope)).status).toBeLessThan(300);
  });
});

describe('roles', () => {
  test.each([undefined, 'owner', 'Admin', ''])('role %s gets 403 on every operation', async (role) => {
    const scope = 'tickets:read tickets:write tickets:delete';
    for (const [method, path] of [
      ['GET', '/tickets.json'],
      ['GET', '/ticket/x.json'],
      ['POST', '/tickets.json'],
      ['DELETE', '/ticket/x.json'],
      ['POST', '/ticket/x/replies.json'],
      ['GET', '/people.json'],
      ['GET', '/me.json'],
    ] as const) {
      const { status } = await api.request(method, path, undefined, as({ scope, role }));
      expect(status, `${method} ${path}`).toBe(403);
    }
  });
});

describe('requests without a valid token', () => {
  test.each([
    ['GET', '/tickets.json', 'tickets:read'],
    ['HEAD', '/ticket/x.xml', 'tickets:read'],
    ['POST', '/tickets.json', 'tickets:write'],
    ['DELETE', '/ticket/x.json', 'tickets:delete'],
    ['DELETE', '/ticket/x/tags.json', 'tickets:write'],
    ['GET', '/changes.json', 'tickets:read'],
  ])('%s %s gets 401 with the required scope %s (RFC 6750 §3)', async (method, path, scope) => {
    for (const authorization of [undefined, 'Bearer nonsense']) {
      const { status, headers } = await api.request(method, path, undefined, {
        Authorization: authorization,
      });
      expect(status).toBe(401);
      expect(headers.get('WWW-Authenticate')).toContain(`scope="${scope}"`);
    }
  });

  test('name a scope of this API when the token is for another audience', async () => {
    const { json } = await api.request(
      'GET',
      '/tickets.json',
      undefined,
      as({ aud: 'https://other.example' }),
    );
    expect(json).toMatchObject({
      status: 401,
      code: 'invalid_token',
      detail: 'This token is not for this API; request tickets:read.',
    });
  });

  test('get 401 with a challenge that links to the metadata (RFC 6750 §3, RFC 9728 §5.1)', async () => {
    for (const authorization of [
      undefined,
      'Basic YTpi',
      'Bearer nonsense',
      `Bearer ${api.issuer.token({ exp: 1 })}`,
    ]) {
      const { status, headers } = await api.request('GET', '/tickets.json', undefined, {
        Authorization: authorization,
      });
      expect(status).toBe(401);
      expect(headers.get('WWW-Authenticate')).toContain(
        'resource_metadata="http://api.example/.well-known/oauth-protected-resource"',
      );
    }
  });

  test('the metadata lists the issuer and the scopes that any application may request (RFC 9728 §2)', async () => {
    const { status, json } = await api.request('GET', '/.well-known/oauth-protected-resource', undefined, {
      Authorization: undefined,
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      resource: 'http://api.example',
      authorization_servers: [api.issuer.issuer],
      scopes_supported: ['tickets:read', 'tickets:write'],
    });
  });
});

describe('sender-constrained tokens (RFC 9449 §7)', () => {
  test('are accepted once with a proof for this request, and never as bearer tokens', async () => {
    const key = createDpopKey();
    const token = api.issuer.token({ role: 'agent', cnf: { jkt: key.thumbprint } });
    const proof = key.proof({ method: 'GET', url: 'http://api.example/tickets.json', token });
    const send = (headers: Record<string, string>) => api.request('GET', '/tickets.json', undefined, headers);
    expect((await send({ Authorization: `DPoP ${token}`, DPoP: proof })).status).toBe(200);
    const replayed = await send({ Authorization: `DPoP ${token}`, DPoP: proof });
    expect(replayed.status).toBe(401);
    expect(replayed.headers.get('WWW-Authenticate')).toContain('error="invalid_dpop_proof"');
    expect((await send({ Authorization: `Bearer ${token}` })).status).toBe(401);
  });
});

describe('failures during authorization', () => {
  test('never grant access: 503 while the signing keys are unavailable', async () => {
    await api.issuer.goDown();
    const cold = createJwks({ url: api.issuer.jwksUrl });
    const other = await startApi({ mayFail: true });
    try {
      await other.issuer.goDown();
      const { status, headers } = await other.request('GET', '/tickets.json');
      expect(status).toBe(503);
      expect(headers.get('Retry-After')).toMatch(/^\d+$/);
      await expect(cold.findKey('any')).rejects.toThrow();
    } finally {
      await api.issuer.comeUp();
      await other.stop();
    }
  });
});
