import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Closes the connections of a server without interrupting a request. */
export interface ConnectionDrain {
  /** Sends `Connection: close` with every response from now on (RFC 9112 §9.6). */
  begin(): void;
  /**
   * Closes the listener, so that new connections go to another process. Resolves when the open ones are closed, which
   * the next response on each announces.
   */
  retire(): Promise<void>;
  /**
   * Closes idle connections, then the listener. Resolves when requests in flight are answered, or aborted at the limit.
   */
  end(limitMs: number): Promise<void>;
}

interface Connection {
  acceptedAt: number;
  /** Requests without a complete response; several if the client pipelines. */
  openRequests: number;
  /** Response to the latest request. */
  lastAnswer: ServerResponse | undefined;
  /** `bytesRead` of the socket when its last response was sent. */
  bytesAnswered: number;
}

const SWEEP_MS = 20;
/** A client that has just connected may not have sent its first request yet. */
const FIRST_REQUEST_MS = 500;
/** Turns of the event loop without a new connection after which none is pending; Node accepts one per turn. */
const QUIET_TURNS = 3;
/** Limit for accepting pending connections. */
const ACCEPT_LIMIT_MS = 500;

/** Tracks the connections of a server; call it before the server listens. */
export function createConnectionDrain(server: Server, { isTls }: { isTls: boolean }): ConnectionDrain {
  const connections = new Map<Socket, Connection>();
  const acceptPending = createPendingAcceptance(server);
  let isDraining = false;
  let closed: Promise<void> | undefined;

  function trackConnection(socket: Socket): void {
    const acceptedAt = performance.now();
    connections.set(socket, { acceptedAt, openRequests: 0, lastAnswer: undefined, bytesAnswered: 0 });
    socket.once('close', () => connections.delete(socket));
  }

  // Runs for each request: one look-up, and a listener shared by all responses.
  function trackResponse({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.openRequests += 1;
    connection.lastAnswer = response;
    if (isDraining) response.shouldKeepAlive = false;
    response.on('close', recordResponse);
  }

  function recordResponse(this: ServerResponse): void {
    const { socket } = this.req;
    const connection = connections.get(socket);
    if (!connection) return;
    connection.openRequests -= 1;
    connection.bytesAnswered = socket.bytesRead;
  }

  function begin(): void {
    isDraining = true;
    for (const { openRequests, lastAnswer } of connections.values())
      if (openRequests > 0 && lastAnswer) lastAnswer.shouldKeepAlive = false;
  }

  function closeIdle(): void {
    const newest = performance.now() - FIRST_REQUEST_MS;
    for (const [socket, { acceptedAt, openRequests, bytesAnswered }] of connections) {
      const mayBeAboutToSend = bytesAnswered === 0 && acceptedAt > newest;
      if (openRequests === 0 && socket.bytesRead === bytesAnswered && !mayBeAboutToSend) socket.destroy();
    }
  }

  function closeListener(): Promise<void> {
    closed ??= new Promise((resolve) => server.close(() => resolve()));
    return closed;
  }

  server.on(isTls ? 'secureConnection' : 'connection', trackConnection);
  // Runs before the handler, which may respond synchronously.
  server.prependListener('request', trackResponse);
  // `close` calls this. Node's version aborts responses still being sent and keeps unused connections.
  server.closeIdleConnections = closeIdle;

  return {
    begin,
    retire() {
      server.closeIdleConnections = () => undefined;
      begin();
      return closeListener();
    },
    async end(limitMs) {
      begin();
      const cutOff = setTimeout(() => server.closeAllConnections(), limitMs);
      await acceptPending();
      const sweep = setInterval(closeIdle, SWEEP_MS);
      await closeListener();
      clearInterval(sweep);
      clearTimeout(cutOff);
    },
  };
}

/** Creates a function that accepts pending connections, which the operating system would reset when the listener closes. */
function createPendingAcceptance(server: Server): () => Promise<void> {
  let acceptedCount = 0;
  server.on('connection', () => {
    acceptedCount += 1;
  });
  return async function acceptPending() {
    const giveUpAt = performance.now() + ACCEPT_LIMIT_MS;
    for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < giveUpAt; quiet += 1) {
      const before = acceptedCount;
      await nextTurn();
      if (acceptedCount > before) quiet = -1;
    }
  };
}
