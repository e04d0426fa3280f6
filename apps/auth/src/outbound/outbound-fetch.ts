import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { JsonTextError, parseJson } from '@keydesk/server';
import { createPrivateAddressCheck } from './private-addresses.ts';

export interface OutboundFetchOptions {
  /** Whether private addresses, such as those of this machine and its networks, are allowed. */
  allowsPrivateAddresses: boolean;
}

type OutboundFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const MAX_TIME_MS = 5_000;
const MAX_BODY_BYTES = 256 * 1024;
const bodylessStatuses = [204, 205, 304];

/**
 * Creates a `fetch` for URLs from untrusted clients: it blocks private addresses, does not follow redirects, and limits
 * time and size. It connects to the address that was checked, so a name that changes afterwards gains nothing (DNS
 * rebinding).
 */
export function createOutboundFetch({ allowsPrivateAddresses }: OutboundFetchOptions): OutboundFetch {
  const isPrivate = createPrivateAddressCheck();
  const isBlocked = (address: string) => !allowsPrivateAddresses && isPrivate(address);

  /** Resolves a name for the connection. A single private address blocks them all. */
  function lookupAllowed(
    hostname: string,
    options: LookupOptions,
    callback: (err: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void {
    lookup(hostname, { ...options, all: true }, (err, addresses) => {
      const [first] = addresses ?? [];
      if (err || !first) return callback(err ?? new Error(`${hostname} has no address`), '');
      if (addresses.some(({ address }) => isBlocked(address))) return callback(toBlockedError(hostname), '');
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  }

  return async function fetchOutbound(input, init = {}) {
    const url = new URL(input instanceof Request ? input.url : input);
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    // An IP address is not looked up.
    if (isIP(hostname) && isBlocked(hostname)) throw toBlockedError(hostname);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const limits = [AbortSignal.timeout(MAX_TIME_MS), ...(init.signal ? [init.signal] : [])];
    const body = init.body == null ? undefined : String(init.body);
    const request = send(url, {
      method: init.method ?? 'GET',
      headers: headersOf(init, body),
      lookup: lookupAllowed,
      // A new connection each time, because a kept one would have been checked earlier.
      agent: false,
      signal: AbortSignal.any(limits),
    });
    request.end(body);
    return toResponse(await awaitResponse(request));
  };
}

/**
 * Resolves with the response, or rejects. On a protocol switch (RFC 9110 §7.8) Node closes the connection without an
 * error.
 */
function awaitResponse(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(new Error('The connection closed without a response.')));
  });
}

function headersOf({ headers }: RequestInit, body: string | undefined): Record<string, string> {
  const sent = Object.fromEntries([...new Headers(headers)].filter(([, value]) => value !== ''));
  return body === undefined ? sent : { ...sent, 'content-length': String(Buffer.byteLength(body)) };
}

async function toResponse(response: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`The response has more than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const status = response.statusCode ?? 500;
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(bodylessStatuses.includes(status) ? null : Buffer.concat(chunks), { status, headers });
}

function toBlockedError(hostname: string): Error {
  return new Error(`${hostname} is a private address or resolves to one; use a public host.`);
}

/**
 * Creates a `fetch` that rejects documents with invalid JSON. Clients publish metadata and key sets, where a duplicate
 * name would be ambiguous.
 */
export function createDocumentFetch(fetchOutbound: OutboundFetch): OutboundFetch {
  return async function fetchDocument(input, init) {
    const response = await fetchOutbound(input, init);
    if (init?.method === 'GET' && response.ok) requireStrictJson(await response.clone().text());
    return response;
  };
}

function requireStrictJson(text: string): void {
  try {
    parseJson(text);
  } catch (err) {
    throw err instanceof JsonTextError ? new Error(`The document ${err.message}.`, { cause: err }) : err;
  }
}
