import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { fieldLines } from './field-lines.ts';

const schemeAndAuthority = /^https?:\/\/[^/?#]*/i;

/**
 * Tells a handler the path and query of each request, in whatever form its target came (RFC 9112 §3.2): which host an
 * absolute one names matters to no server of ours. One that is no URL answers 400 here, for what reads URLs behind it
 * throws at some of these, and outside of a request's own promise that ends the process.
 */
export function withOriginForm(handler: RequestListener): RequestListener {
  return function handleOriginForm(request, response) {
    const target = toOriginForm(request.url ?? '');
    if (target === undefined || hasHosts(request)) return refuse(response, 400);
    // Node takes 0.9 and 2.0 for HTTP/1.1 as well, and a line without a version for 0.9 (RFC 9110 §15.6.6).
    if (request.httpVersionMajor !== 1) return refuse(response, 505);
    request.url = target;
    return handler(request, response);
  };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: 'close' }).end();
}

/** Whether there is more than one `Host`, which RFC 9112 §3.2 has a server refuse; Node takes the first. */
function hasHosts(request: IncomingMessage): boolean {
  return fieldLines(request, 'host').length > 1;
}

/**
 * `*` is the target of `OPTIONS *` (RFC 9112 §3.2.4). No target has a fragment, and what reads paths would look for a host
 * in one that does: `//a@[::1/#` is no path to it.
 */
function toOriginForm(target: string): string | undefined {
  if (target.includes('#')) return undefined;
  if (target.startsWith('/') || target === '*') return target;
  if (!schemeAndAuthority.test(target) || !URL.canParse(target)) return undefined;
  const rest = target.replace(schemeAndAuthority, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
