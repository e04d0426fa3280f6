import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A MongoDB command in transit, or its reply. */
export interface CommandInTransit {
  /** Name, such as `insert`. */
  name: string;
  /** Collection that the command works on, if any. */
  collection: string | undefined;
  part: 'request' | 'reply';
}

/**
 * Decides what happens to a command or reply: it is forwarded (`undefined`) or withheld while its connection is reset,
 * or forwarded when the promise resolves.
 */
export type CommandRule = (command: CommandInTransit) => 'reset' | Promise<void> | undefined;

/** A proxy in front of MongoDB that fails at chosen commands. */
export interface CommandProxy {
  port: number;
  /** Applies a rule to everything that arrives from now on; `undefined` forwards all. */
  apply(rule: CommandRule | undefined): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port of 127.0.0.1 in front of a MongoDB server on a loopback port. */
export async function startCommandProxy(upstreamPort: number): Promise<CommandProxy> {
  let rule: CommandRule | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ port: upstreamPort, host: '127.0.0.1' });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // Its `close` event follows.
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    relay(client, upstream, (command) => rule?.(command));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    apply(next) {
      rule = next;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Forwards messages in both directions. A connection has one command at a time, so a reply belongs to the last. */
function relay(client: Socket, upstream: Socket, rule: CommandRule): void {
  let last: Omit<CommandInTransit, 'part'> = { name: '', collection: undefined };

  async function forward(message: Buffer, to: Socket, part: CommandInTransit['part']): Promise<void> {
    if (part === 'request') last = readCommand(message) ?? last;
    const verdict = rule({ ...last, part });
    if (verdict === 'reset') {
      client.resetAndDestroy();
      upstream.destroy();
      return;
    }
    await verdict;
    if (to.writable) to.write(message);
  }

  for (const [from, to, part] of [
    [client, upstream, 'request'],
    [upstream, client, 'reply'],
  ] as const) {
    let rest = Buffer.alloc(0);
    let turn = Promise.resolve();
    from.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= LENGTH_BYTES && rest.length >= rest.readInt32LE()) {
        const message = rest.subarray(0, rest.readInt32LE());
        rest = rest.subarray(message.length);
        turn = turn.then(() => forward(message, to, part));
      }
    });
    from.on('close', () => to.destroy());
  }
}

const LENGTH_BYTES = 4;
const OP_MSG = 2013;
/** Header, flags and kind of the first section. */
const BODY_OFFSET = 21;
const STRING = 2;

/** Reads name and collection of a command: the first member of its BSON document. */
function readCommand(message: Buffer): Omit<CommandInTransit, 'part'> | undefined {
  if (message.readInt32LE(12) !== OP_MSG) return undefined;
  const typeAt = BODY_OFFSET + LENGTH_BYTES;
  const nameEnd = message.indexOf(0, typeAt + 1);
  const name = message.toString('utf8', typeAt + 1, nameEnd);
  if (message[typeAt] !== STRING) return { name, collection: undefined };
  const valueAt = nameEnd + 1 + LENGTH_BYTES;
  return { name, collection: message.toString('utf8', valueAt, message.indexOf(0, valueAt)) };
}
