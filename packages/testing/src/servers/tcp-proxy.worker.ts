import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/** Command to the thread of a proxy; each gets one reply. */
export type ProxyCommand =
  | { name: 'delay'; milliseconds: number; directions: readonly Direction[] }
  | { name: 'stall'; directions: readonly Direction[] }
  | { name: 'listen' | 'cut' | 'reset' | 'refuse' | 'restore' };

export type Direction = 'requests' | 'responses';

export interface ProxyReply {
  port: number;
}

/** Bytes on their way; `undefined` is the end of the stream. */
interface InTransit {
  bytes: Buffer | undefined;
  dueAt: number;
}

/** More than this in one direction pauses its source. */
const MAX_IN_TRANSIT = 1_000;
/** Timers count whole milliseconds, so that this rounds delays to the nearest one. */
const TIMER_ERROR_MS = 0.5;

const upstreamPort: number = workerData;
const sockets = new Set<Socket>();
/** Directions that hold bytes back while the proxy is stalled. */
const held = new Set<() => void>();
const delayMs: Record<Direction, number> = { requests: 0, responses: 0 };
const stalled = new Set<Direction>();
let port = 0;

/** Forwards in order, each chunk after its delay; chunks travel at the same time, so that throughput stays. */
function forward(direction: Direction, from: Socket, to: Socket): void {
  const queue: InTransit[] = [];
  let timer: NodeJS.Timeout | undefined;

  function deliver(): void {
    timer = undefined;
    if (stalled.has(direction)) {
      held.add(deliver);
      return;
    }
    while (queue[0] && queue[0].dueAt - performance.now() < TIMER_ERROR_MS) {
      const { bytes } = queue.shift() as InTransit;
      if (bytes) to.write(bytes);
      else to.end();
    }
    if (queue.length < MAX_IN_TRANSIT) from.resume();
    const next = queue[0];
    if (next) timer = setTimeout(deliver, Math.max(0, Math.floor(next.dueAt - performance.now())));
  }

  function take(bytes: Buffer | undefined): void {
    queue.push({ bytes, dueAt: performance.now() + delayMs[direction] });
    if (queue.length >= MAX_IN_TRANSIT) from.pause();
    if (!timer) deliver();
  }

  from.on('data', take).on('end', () => take(undefined));
  // After a regular end, the rest is still on its way.
  from.on('close', (hasFailed) => {
    if (!hasFailed) return;
    clearTimeout(timer);
    held.delete(deliver);
    to.destroy();
  });
}

function relay(client: Socket): void {
  const upstream = connect({ port: upstreamPort, host: '127.0.0.1', allowHalfOpen: true });
  for (const socket of [client, upstream]) {
    sockets.add(socket);
    socket.setNoDelay(true);
    // Its `close` event follows.
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }
  forward('requests', client, upstream);
  forward('responses', upstream, client);
}

const server = createServer({ allowHalfOpen: true }, relay);

async function listen(): Promise<void> {
  if (server.listening) return;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}

async function restore(): Promise<void> {
  await listen();
  stalled.clear();
  const directions = [...held];
  held.clear();
  for (const deliver of directions) deliver();
}

async function run(command: ProxyCommand): Promise<void> {
  switch (command.name) {
    case 'delay':
      for (const direction of command.directions) delayMs[direction] = command.milliseconds;
      return;
    case 'listen':
      return listen();
    case 'stall':
      for (const direction of command.directions) stalled.add(direction);
      return;
    case 'cut':
      for (const socket of sockets) socket.destroy();
      return;
    case 'refuse':
      server.close();
      return reset();
    case 'reset':
      return reset();
    case 'restore':
      return restore();
  }
}

function reset(): void {
  for (const socket of sockets) socket.resetAndDestroy();
}

parentPort?.on('message', async (command: ProxyCommand) => {
  await run(command);
  parentPort?.postMessage({ port } satisfies ProxyReply);
});
