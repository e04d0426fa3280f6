import type { RequestListener } from 'node:http';

const schemeAndAuthority = /^https?:\/\/[^/?#]*/i;

/**
 * Tells a handler the path and query of each request, in whatever form its target came (RFC 9112 §3.2): which host an
 * absolute one names matters to no server of ours. One that is no URL answers 400 here, for what reads URLs behind it
 * throws at some of these, and outside of a request's own promise that ends the process.
 */
export function withOriginForm(handler: RequestListener): RequestListener {
  return function handleOriginForm(request, response) {
    const target = toOriginForm(request.url ?? '');
    if (target === undefined) return void response.writeHead(400, { Connection: 'close' }).end();
    request.url = target;
    return handler(request, response);
  };
}

/** `*` is the target of `OPTIONS *` (RFC 9112 §3.2.4). */
function toOriginForm(target: string): string | undefined {
  if (target.startsWith('/') || target === '*') return target;
  if (!schemeAndAuthority.test(target) || !URL.canParse(target)) return undefined;
  const rest = target.replace(schemeAndAuthority, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
