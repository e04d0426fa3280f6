import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { basic } from '../../tests/test-server.fixture.ts';
import { startOperatedServer } from '../operated-server.fixture.ts';

describe('keydesk client verify, unverify and set-role', () => {
  const operated = useStarted(startOperatedServer);
  const run = (...args: string[]) => operated.run('client', ...args);
  const register = (type: 'machine' | 'spa') => {
    const redirectUris = type === 'spa' ? ['https://app.example/'] : [];
    const request = { type, name: 'Export', scopes: ['tickets:read'], redirectUris };
    return operated.server.clients.register(request, { id: 'developer', limit: 100 });
  };
  const typesOf = async (clientId: string) =>
    (await operated.storage.audit.list({ clientId, limit: 10 })).map(({ type, actor }) => [type, actor]);

  it('verify a client and revoke the verification', async () => {
    const { id } = (await register('spa')).client;
    expect(JSON.parse((await run('verify', id, '--json')).stdout)).toMatchObject({
      client_id: id,
      verified: true,
    });
    expect((await run('show', id)).stdout).toMatch(/verified +yes/);
    expect(await run('unverify', id)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no longer verified'),
    });
    expect((await operated.server.clients.get(id)).isVerified).toBe(false);
    expect(await typesOf(id)).toEqual([
      ['client.unverified', 'operator'],
      ['client.verified', 'operator'],
    ]);
  });

  it('set the role of a machine client from its next token on, and remove it', async () => {
    const { client, secret } = await register('machine');
    const roleNow = async () => {
      const form = { grant_type: 'client_credentials' };
      const answer = await (await operated.server.requestToken(form, basic(client.id, secret))).json();
      const [, claims = ''] = (answer as { access_token: string }).access_token.split('.');
      return JSON.parse(Buffer.from(claims, 'base64url').toString()).role;
    };
    expect(await roleNow()).toBeUndefined();
    expect((await run('set-role', client.id, 'agent')).code).toBe(0);
    expect(await roleNow()).toBe('agent');
    expect((await run('set-role', client.id, 'none')).code).toBe(0);
    expect(await roleNow()).toBeUndefined();
  });

  it('reject a role for an application, an unknown role and an unknown client', async () => {
    const { id } = (await register('spa')).client;
    expect(await run('set-role', id, 'agent')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Invalid client: role is only for machine clients/),
    });
    expect((await run('set-role', id, 'emperor')).code).toBe(2);
    for (const verb of ['verify', 'unverify']) expect((await run(verb, 'nobody')).code).toBe(1);
  });
});
