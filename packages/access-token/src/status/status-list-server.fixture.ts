import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import type { TestIssuer, TokenOverrides } from '@keydesk/testing';

/** A status list as the server sends it. */
export interface SentList {
  bits?: unknown;
  /** Byte array before compression. */
  bytes?: Uint8Array;
  /** Members of the claims to replace; `undefined` omits one. */
  claims?: Record<string, unknown>;
  overrides?: TokenOverrides;
}

/** A server of a status list (Token Status List §8). */
export interface StatusListServer {
  uri: string;
  /** Requests so far, as their `If-None-Match` and the status of the response. */
  requests: { etag: string | undefined; status: number }[];
  /** Sends this list from now on. */
  publish(list: SentList): void;
  /** Sends this body from now on. */
  publishText(text: string): void;
  /** Answers with this status instead; 200: normally. */
  answerWith(status: number): void;
  /** Holds requests for an unchanged list until it changes (RFC 7240 §4.3). */
  hold(): void;
  stop(): Promise<void>;
}

/** Signs a status list that is valid except for the given members. */
function signList(issuer: TestIssuer, uri: string, list: SentList): string {
  const { bits = 1, bytes = Buffer.alloc(16), claims = {}, overrides = {} } = list;
  const lst = deflateSync(bytes).toString('base64url');
  const none = { aud: undefined, client_id: undefined, scope: undefined, jti: undefined };
  const header = { typ: 'statuslist+jwt', ...overrides.header };
  return issuer.token(
    { ...none, sub: uri, ttl: 1, status_list: { bits, lst }, ...claims },
    { ...overrides, header },
  );
}

/** Starts the server of a list of an issuer; nothing is revoked at first. */
export async function startStatusListServer(issuer: TestIssuer): Promise<StatusListServer> {
  const state = { text: '', version: 0, status: 200, isHolding: false };
  const changes = new EventEmitter();
  const ended = new AbortController();
  const requests: StatusListServer['requests'] = [];
  const server = createServer(async (request, response) => {
    const isCurrentNow = () => request.headers['if-none-match'] === `"${state.version}"`;
    const seconds = Number(/^wait=(\d+)$/.exec(String(request.headers.prefer))?.[1] ?? 0);
    if (state.isHolding && isCurrentNow()) {
      response.setHeader('Preference-Applied', `wait=${seconds}`);
      const signal = AbortSignal.any([AbortSignal.timeout(seconds * 1000), ended.signal]);
      await once(changes, 'change', { signal }).catch(() => undefined);
    }
    const etag = `"${state.version}"`;
    const isCurrent = isCurrentNow();
    const status = state.status === 200 && isCurrent ? 304 : state.status;
    requests.push({ etag: request.headers['if-none-match'], status });
    response.writeHead(status, { 'Content-Type': 'application/statuslist+jwt', ETag: etag });
    response.end(status === 200 ? state.text : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
  const publishText = (text: string) => {
    Object.assign(state, { text, version: state.version + 1 });
    changes.emit('change');
  };
  const publish = (list: SentList) => publishText(signList(issuer, uri, list));
  publish({});
  return {
    uri,
    requests,
    publish,
    publishText,
    answerWith: (status) => void Object.assign(state, { status }),
    hold: () => void Object.assign(state, { isHolding: true }),
    async stop() {
      ended.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
