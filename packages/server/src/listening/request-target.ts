import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

const schemeAndAuthority = /^https?:\/\/[^/?#]*/i;

/**
 * Converts the request-target to origin form (RFC 9112 §3.2) and ignores the host of an absolute target. Invalid URLs
 * get 400 here, because URL parsers in later code throw on some of them, and an exception outside of the request's
 * promise ends the process.
 */
export function withOriginForm(handler: RequestListener): RequestListener {
  return function handleOriginForm(request, response) {
    const target = toOriginForm(request.url ?? '');
    if (target === undefined || hasSeveralHosts(request)) return refuse(response, 400);
    // Node accepts 0.9 and 2.0 as HTTP/1.1, and a line without a version as 0.9 (RFC 9110 §15.6.6).
    if (request.httpVersionMajor !== 1) return refuse(response, 505);
    request.url = target;
    return handler(request, response);
  };
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: 'close' }).end();
}

/** Whether a request has several `Host` lines, which servers must reject (RFC 9112 §3.2); Node uses the first. */
function hasSeveralHosts(request: IncomingMessage): boolean {
  return (request.headersDistinct.host?.length ?? 0) > 1;
}

/**
 * Converts a target to origin form, or returns `undefined`. `*` is the target of `OPTIONS *` (RFC 9112 §3.2.4). A
 * fragment is invalid, and URL parsers would read a host from a path such as `//a@[::1/#`.
 */
function toOriginForm(target: string): string | undefined {
  if (target.includes('#')) return undefined;
  if (target.startsWith('/') || target === '*') return target;
  if (!schemeAndAuthority.test(target) || !URL.canParse(target)) return undefined;
  const rest = target.replace(schemeAndAuthority, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
