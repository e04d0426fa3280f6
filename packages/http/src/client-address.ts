import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type Koa from 'koa';

/**
 * The address a request came from. Each proxy appends the address it was called from to `X-Forwarded-For`, so with
 * `hops` proxies of ours in front, the entry that the outermost of them wrote is the `hops`-th from the right;
 * everything left of it is the caller's word and worth nothing. Without proxies the header is not read at all.
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

/** An IPv4 address in the IPv6 notation of dual-stack sockets, as the IPv4 address that it is. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/**
 * Makes `ctx.ip` of an app the `clientAddress`. Koa's own `proxy: true` would take the left-most entry, which the
 * caller chooses.
 *
 * @param hops how many proxies of ours stand in front of the app; 0 for none
 */
export function trustProxyHops(app: Koa, hops: number): void {
  Object.defineProperty(app.request, 'ip', {
    configurable: true,
    get(this: Koa.Request) {
      return clientAddress(this.req, hops);
    },
  });
}
