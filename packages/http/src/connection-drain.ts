import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Ends the connections of a server without breaking a request. */
export interface ConnectionDrain {
  /** Makes every answer from now on the last of its connection, and says so in it (RFC 9112 §9.6). */
  begin(): void;
  /**
   * Closes idle connections, then the listener. Resolves once the requests in flight are answered, or cut at the limit.
   */
  end(limitMs: number): Promise<void>;
}

interface Connection {
  acceptedAt: number;
  /** Number of requests without a whole answer: several if the client pipelines. */
  openRequests: number;
  /** Answer to the latest request. */
  lastAnswer: ServerResponse | undefined;
  /** `bytesRead` of the socket when its last answer was sent. */
  bytesAnswered: number;
}

const SWEEP_MS = 20;
/** A client that has just connected may not have sent its first request yet. */
const FIRST_REQUEST_MS = 500;
/** Node accepts one connection in a turn of the event loop, so that after these turns without one none is waiting. */
const QUIET_TURNS = 3;
/** Bounds the wait for quiet turns while connections keep coming. */
const ACCEPT_LIMIT_MS = 500;

/** Tracks the connections of a server that does not listen yet. */
export function createConnectionDrain(server: Server, { isTls }: { isTls: boolean }): ConnectionDrain {
  const connections = new Map<Socket, Connection>();
  let acceptedCount = 0;
  let isDraining = false;

  function trackConnection(socket: Socket): void {
    const acceptedAt = performance.now();
    connections.set(socket, { acceptedAt, openRequests: 0, lastAnswer: undefined, bytesAnswered: 0 });
    socket.once('close', () => connections.delete(socket));
  }

  // On the path of each request: one look-up, and a listener that all answers share.
  function trackAnswer({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.openRequests += 1;
    connection.lastAnswer = response;
    if (isDraining) response.shouldKeepAlive = false;
    response.on('close', noteAnswer);
  }

  function noteAnswer(this: ServerResponse): void {
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

  /** The operating system resets connections that wait to be accepted when their listener closes. */
  async function acceptPending(): Promise<void> {
    const giveUpAt = performance.now() + ACCEPT_LIMIT_MS;
    for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < giveUpAt; quiet += 1) {
      const before = acceptedCount;
      await nextTurn();
      if (acceptedCount > before) quiet = -1;
    }
  }

  server.on('connection', () => {
    acceptedCount += 1;
  });
  server.on(isTls ? 'secureConnection' : 'connection', trackConnection);
  // Before the handler, which may answer at once.
  server.prependListener('request', trackAnswer);
  // Node's own, which `close` calls, also cuts answers that are still being sent, and spares connections never used.
  server.closeIdleConnections = closeIdle;

  return {
    begin,
    async end(limitMs) {
      begin();
      const cutOff = setTimeout(() => server.closeAllConnections(), limitMs);
      await acceptPending();
      const sweep = setInterval(closeIdle, SWEEP_MS);
      await new Promise((resolve) => server.close(resolve));
      clearInterval(sweep);
      clearTimeout(cutOff);
    },
  };
}
