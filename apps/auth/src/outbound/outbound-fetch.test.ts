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

describe('a request to a URL that a client registered (RFC 9700 §4.12, OWASP SSRF)', () => {
  it.each([
    ...['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
    ...['169.254.169.254', '0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1', '::1', '::'],
    ...['fe80::1', 'fe80::1%eth0', 'fd00::1', 'ff02::1', '::ffff:10.0.0.1', '::ffff:a00:1', '::7f00:1'],
    ...['64:ff9b::a00:1', '::ffff:0:a00:1', '2002:7f00:1::', '2001:db8::1', 'not-an-address', ''],
  ])('treats %j as private', (address) => {
    expect(createPrivateAddressCheck()(address)).toBe(true);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'treats %s as public',
    (address) => {
      expect(createPrivateAddressCheck()(address)).toBe(false);
    },
  );

  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1'])(
    'is not sent to %s',
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

  it('does not follow redirects', async () => {
    const url = await serve((_, response) => response.writeHead(302, { Location: '/elsewhere' }).end());
    expect((await fetchOutbound(url)).status).toBe(302);
  });

  it('is aborted at the time limit, before or during the response', async () => {
    for (const begin of [false, true]) {
      const url = await serve((_, response) => void (begin && response.write('slowly')));
      await expect(fetchOutbound(url, { signal: AbortSignal.timeout(100) })).rejects.toThrow();
      server?.close().closeAllConnections();
    }
  });

  it('fails on an unsolicited protocol switch (RFC 9110 §7.8)', async () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'another' };
    const url = await serve((_, response) => response.writeHead(101, upgrade).end());
    await expect(fetchOutbound(url)).rejects.toThrow('without a response');
  });

  it('rejects a response without end', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(300 * 1024)));
    await expect(fetchOutbound(url)).rejects.toThrow('bytes');
  });

  it('sends a form and returns the response', async () => {
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
