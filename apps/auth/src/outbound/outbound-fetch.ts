import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { createPrivateAddressCheck } from './private-addresses.ts';

export interface OutboundFetchOptions {
  /** Whether addresses of this machine and of the networks around it may be called. */
  allowsPrivateAddresses: boolean;
}

export type OutboundFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const MAX_TIME_MS = 5_000;
const MAX_BODY_BYTES = 256 * 1024;
const bodylessStatuses = [204, 205, 304];

/**
 * A `fetch` for addresses that strangers registered: it reaches no private address, follows no redirect, and takes
 * neither long nor much. The connection goes to the very address that was judged, so that a name which resolves to
 * something else a moment later gains nothing (DNS rebinding).
 */
export function createOutboundFetch({ allowsPrivateAddresses }: OutboundFetchOptions): OutboundFetch {
  const isPrivate = createPrivateAddressCheck();
  const isRefused = (address: string) => !allowsPrivateAddresses && isPrivate(address);

  /** Resolves a name for the connection that is about to be made; one private address refuses them all. */
  function lookupAllowed(
    hostname: string,
    options: LookupOptions,
    callback: (err: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void {
    lookup(hostname, { ...options, all: true }, (err, addresses) => {
      const [first] = addresses ?? [];
      if (err || !first) return callback(err ?? new Error(`${hostname} has no address`), '');
      if (addresses.some(({ address }) => isRefused(address))) return callback(refusalOf(hostname), '');
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  }

  return async function fetchOutbound(input, init = {}) {
    const url = new URL(input instanceof Request ? input.url : input);
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    // No name, so nothing is looked up.
    if (isIP(hostname) && isRefused(hostname)) throw refusalOf(hostname);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const limits = [AbortSignal.timeout(MAX_TIME_MS), ...(init.signal ? [init.signal] : [])];
    const body = init.body == null ? undefined : String(init.body);
    const request = send(url, {
      method: init.method ?? 'GET',
      headers: headersOf(init, body),
      lookup: lookupAllowed,
      // A connection of its own: one that was kept would have been judged at another time.
      agent: false,
      signal: AbortSignal.any(limits),
    });
    request.end(body);
    return toResponse(await responseTo(request));
  };
}

/** Settles whatever comes: on a switch of protocols (RFC 9110 §7.8) Node ends the connection without an error. */
function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(new Error('The connection ended without an answer.')));
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
    if (bytes > MAX_BODY_BYTES) throw new Error(`The answer has more than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  const status = response.statusCode ?? 500;
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(bodylessStatuses.includes(status) ? null : Buffer.concat(chunks), { status, headers });
}

function refusalOf(hostname: string): Error {
  return new Error(`${hostname} is or leads to a private address, which is not called.`);
}
