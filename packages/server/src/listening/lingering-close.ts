import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';

const LINGER_MS = 5_000;

/**
 * Reads the rest of a request body before closing the connection after an early response. Closing at once would reset
 * the connection, and a client or proxy that is still sending would lose the response (RFC 9112 §9.6).
 */
export function closeLingering(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    const { socket, headers } = request;
    if (!('content-length' in headers || 'transfer-encoding' in headers)) return;
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      if (request.complete || request.destroyed) Socket.prototype.destroySoon.call(socket);
      else linger(request, socket);
    };
  });
}

function linger(request: IncomingMessage, socket: Socket): void {
  const close = () => Socket.prototype.destroySoon.call(socket);
  const giveUp = setTimeout(close, LINGER_MS);
  socket.once('close', () => clearTimeout(giveUp));
  request.once('end', close).resume();
}
