import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type Koa from 'koa';

/**
 * Returns the client address of a request. Each proxy appends the address of its peer to `X-Forwarded-For`. With
 * `hops` trusted proxies, the entry of the outermost one is the `hops`-th from the right; the client controls
 * everything to its left. Without proxies the header is ignored.
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  const peer = withoutMapping(request.socket.remoteAddress ?? '');
  if (hops === 0) return peer;
  const header = request.headers['x-forwarded-for'];
  const forwarded = (Array.isArray(header) ? header.join() : (header ?? ''))
    .split(',')
    .map((entry) => entry.trim());
  const address = withoutMapping(forwarded.at(-Math.min(hops, forwarded.length)) ?? '');
  return isIP(address) ? address : peer;
}

/** Converts an IPv4-mapped IPv6 address of a dual-stack socket to IPv4. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/**
 * Sets `ctx.ip` of an app to the `clientAddress`. Koa's `proxy: true` would use the left-most entry, which the client
 * controls.
 *
 * @param hops number of trusted proxies in front of the app
 */
export function trustProxyHops(app: Koa, hops: number): void {
  Object.defineProperty(app.request, 'ip', {
    configurable: true,
    get(this: Koa.Request) {
      return clientAddress(this.req, hops);
    },
  });
}
