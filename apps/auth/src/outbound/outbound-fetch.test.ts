import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutboundFetch } from './outbound-fetch.ts';
import { createPrivateAddressCheck } from './private-addresses.ts';

const fetchOutbound = createOutboundFetch({ allowsPrivateAddresses: true });
let server: Server | undefined;
afterEach(() => server?.close().closeAllConnections());

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a call to an address that a stranger registered (RFC 9700 §4.12, OWASP SSRF)', () => {
  it.each([
    ...['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
    ...['169.254.169.254', '0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1', '::1', '::'],
    ...['fe80::1', 'fe80::1%eth0', 'fd00::1', 'ff02::1', '::ffff:10.0.0.1', '::ffff:a00:1', '::7f00:1'],
    ...['64:ff9b::a00:1', '::ffff:0:a00:1', '2002:7f00:1::', '2001:db8::1', 'not-an-address', ''],
  ])('takes %j for private', (address) => {
    expect(createPrivateAddressCheck()(address)).toBe(true);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'takes %s for public',
    (address) => {
      expect(createPrivateAddressCheck()(address)).toBe(false);
    },
  );

  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1'])(
    'is not made to %s',
    async (host) => {
      let calls = 0;
      const url = await serve((_, response) => {
        calls += 1;
        response.end();
      });
      const { port } = new URL(url);
      const strict = createOutboundFetch({ allowsPrivateAddresses: false });
      await expect(strict(`http://${host}:${port}/`)).rejects.toThrow('private address');
      expect(calls).toBe(0);
    },
  );

  it('follows no redirect', async () => {
    const url = await serve((_, response) => response.writeHead(302, { Location: '/elsewhere' }).end());
    expect((await fetchOutbound(url)).status).toBe(302);
  });

  it('ends when it takes longer than it may, before or within the answer', async () => {
    for (const begin of [false, true]) {
      const url = await serve((_, response) => void (begin && response.write('slowly')));
      await expect(fetchOutbound(url, { signal: AbortSignal.timeout(100) })).rejects.toThrow();
      server?.close().closeAllConnections();
    }
  });

  it('ends when it is answered with another protocol, which nobody asked for (RFC 9110 §7.8)', async () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'another' };
    const url = await serve((_, response) => response.writeHead(101, upgrade).end());
    await expect(fetchOutbound(url)).rejects.toThrow('without an answer');
  });

  it('reads no endless answer', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(300 * 1024)));
    await expect(fetchOutbound(url)).rejects.toThrow('bytes');
  });

  it('carries a form there and an answer back', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Method': request.method ?? '' });
      request.pipe(response);
    });
    const answer = await fetchOutbound(url, { method: 'POST', body: new URLSearchParams({ a: 'ü' }) });
    expect([answer.status, answer.headers.get('x-method'), await answer.text()]).toEqual([
      200,
      'POST',
      'a=%C3%BC',
    ]);
  });
});
