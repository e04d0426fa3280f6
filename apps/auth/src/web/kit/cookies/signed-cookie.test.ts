import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignedCookie } from './signed-cookie.ts';

describe('a signed cookie', () => {
  const signed = createSignedCookie<{ to: string }>('pending', 60_000);
  const app = new Koa();
  app.keys = ['a key of this server'];
  app.use((ctx) => {
    if (ctx.path === '/set') signed.set(ctx, { to: 'ada@example.org' });
    ctx.body = { found: signed.get(ctx) ?? null };
  });
  const server = app.listen(0, '127.0.0.1');
  let url: string;
  beforeAll(async () => {
    if (!server.listening) await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close().closeAllConnections());

  async function findBy(...cookies: readonly string[]): Promise<unknown> {
    const response = await fetch(`${url}/get`, { headers: { cookie: cookies.join('; ') } });
    return ((await response.json()) as { found: unknown }).found;
  }

  it('is read as written, and is hidden from scripts and cross-site posts', async () => {
    const lines = (await fetch(`${url}/set`)).headers.getSetCookie();
    for (const line of lines) expect(line).toMatch(/; samesite=lax; httponly$/i);
    expect(await findBy(...lines.map((line) => line.split(';')[0] ?? ''))).toEqual({ to: 'ada@example.org' });
  });

  it('is ignored if the signature is invalid', async () => {
    const lines = (await fetch(`${url}/set`)).headers.getSetCookie();
    const [, signature = ''] = lines.map((line) => line.split(';')[0] ?? '');
    const forged = `pending=${Buffer.from(JSON.stringify({ to: 'eve@example.org' })).toString('base64url')}`;
    expect(await findBy(forged)).toBeNull();
    expect(await findBy(forged, signature)).toBeNull();
    expect(await findBy(forged, `pending.sig=${'A'.repeat(27)}`)).toBeNull();
  });
});
