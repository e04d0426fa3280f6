import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { isListening } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Listening, listen } from '../index.ts';

/** Hard limit, far above the duration of a stop that waits for nothing. */
const HARD_LIMIT_MS = 60_000;

async function start(handler: RequestListener): Promise<Listening> {
  const listening = await listen(handler, { host: '127.0.0.1', port: 0, drainMilliseconds: HARD_LIMIT_MS });
  onTestFinished(() => listening.close());
  return listening;
}

function keepAlive(): Agent {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return agent;
}

function openSocket({ port }: Listening): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function request({ url }: Listening, agent?: Agent) {
  const sent = get(url, { agent: agent ?? false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { connection } = response.headers;
  return { connection, isReused: sent.reusedSocket, body: await text(response) };
}

const hello: RequestListener = (_, response) => response.end('hello');

describe('a draining server', () => {
  it('announces the end of each connection in its response, and still accepts new ones (RFC 9112 §9.6)', async () => {
    const listening = await start(hello);
    const agent = keepAlive();
    expect(await request(listening, agent)).toMatchObject({ connection: 'keep-alive' });
    listening.drain();
    expect(await request(listening, agent)).toEqual({ connection: 'close', isReused: true, body: 'hello' });
    expect(await request(listening, agent)).toEqual({ connection: 'close', isReused: false, body: 'hello' });
  });

  it('announces it in responses to earlier requests, too', async () => {
    const arrival = Promise.withResolvers<ServerResponse>();
    const listening = await start((_, response) => arrival.resolve(response));
    const answer = request(listening, keepAlive());
    const response = await arrival.promise;
    listening.drain();
    response.end('late');
    expect(await answer).toMatchObject({ connection: 'close', body: 'late' });
  });

  it('keeps idle connections until it closes', async () => {
    const listening = await start(hello);
    const socket = openSocket(listening);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    listening.drain();
    await request(listening);
    expect(socket.readyState).toBe('open');
    const end = once(socket, 'end');
    await listening.close();
    socket.resume();
    await end;
  });
});

describe('a closing server', () => {
  it('answers requests on connections it has not accepted yet', async () => {
    const listening = await start(hello);
    const answers = Promise.all(Array.from({ length: 50 }, () => request(listening)));
    await listening.close();
    for (const answer of await answers) expect(answer).toMatchObject({ connection: 'close', body: 'hello' });
  });

  it('answers requests that have arrived on idle connections', async () => {
    const listening = await start(hello);
    const sockets = Array.from({ length: 20 }, () => openSocket(listening).setEncoding('utf8'));
    const ask = (socket: Socket) => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return once(socket, 'data');
    };
    await Promise.all(sockets.map(ask));
    const answers = sockets.map(ask);
    await listening.close();
    for (const [answer] of await Promise.all(answers)) expect(answer).toMatch(/^Connection: close\r$/m);
  });

  it('sends the complete response to a slow client', async () => {
    const body = 'x'.repeat(30_000_000);
    const listening = await start((_, response) => response.end(body));
    const sent = get(listening.url, { agent: keepAlive() });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const closed = listening.close();
    await expect.poll(() => isListening(listening.port)).toBe(false);
    expect((await text(response)).length).toBe(body.length);
    await closed;
  });

  it('does not wait for connections without a request', async () => {
    const listening = await start(hello);
    const socket = openSocket(listening).resume();
    await once(socket, 'connect');
    await request(listening);
    const end = once(socket, 'end');
    const startedAt = performance.now();
    await listening.close();
    expect(performance.now() - startedAt).toBeLessThan(HARD_LIMIT_MS / 2);
    await end;
  });

  it('waits for a partially received request', async () => {
    const listening = await start(hello);
    const socket = openSocket(listening).setEncoding('utf8');
    socket.write('GET / HTTP/1.1\r\n');
    await request(listening);
    const closed = listening.close();
    await expect.poll(() => isListening(listening.port)).toBe(false);
    socket.write('Host: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    await closed;
  });
});
