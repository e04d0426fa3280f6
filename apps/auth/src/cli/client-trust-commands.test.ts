import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { basic } from '../test-server.fixture.ts';
import { startOperatedServer } from './operated-server.fixture.ts';

describe('the commands by which an administrator trusts a client', () => {
  const operated = useStarted(startOperatedServer);
  const run = (...args: string[]) => operated.run('client', ...args);
  const register = (type: 'machine' | 'spa') => {
    const redirectUris = type === 'spa' ? ['https://app.example/'] : [];
    const request = { type, name: 'Export', scopes: ['tickets:read'], redirectUris };
    return operated.server.clients.register(request, { id: 'developer', limit: 100 });
  };
  const typesOf = async (clientId: string) =>
    (await operated.storage.audit.list({ clientId, limit: 10 })).map(({ type, actor }) => [type, actor]);

  it('vouch for it, and take that back', async () => {
    const { id } = (await register('spa')).client;
    expect(JSON.parse((await run('verify', id, '--json')).said)).toMatchObject({
      client_id: id,
      verified: true,
    });
    expect((await run('show', id)).said).toMatch(/verified +yes/);
    expect(await run('unverify', id)).toMatchObject({
      code: 0,
      said: expect.stringContaining('not verified'),
    });
    expect((await operated.server.clients.get(id)).isVerified).toBe(false);
    expect(await typesOf(id)).toEqual([
      ['client.unverified', 'operator'],
      ['client.verified', 'operator'],
    ]);
  });

  it('give a machine a role from its next token on, and take it back', async () => {
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

  it('refuse a role for what acts for people, one that there is not, and a client that is not there', async () => {
    const { id } = (await register('spa')).client;
    expect(await run('set-role', id, 'agent')).toMatchObject({
      code: 1,
      problem: expect.stringMatching(/^Invalid client: role is only for machine clients/),
    });
    expect((await run('set-role', id, 'emperor')).code).toBe(2);
    for (const verb of ['verify', 'unverify']) expect((await run(verb, 'nobody')).code).toBe(1);
  });
});
