import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Endpoint of an application for logout tokens. */
export interface Receiver {
  url: string;
  /** Received forms. */
  forms: URLSearchParams[];
  /** Status codes of the next responses; then 200. */
  statuses: number[];
  stop(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const receiver = { url: '', forms: [] as URLSearchParams[], statuses: [] as number[] };
  const server = createServer(async (request, response) => {
    receiver.forms.push(new URLSearchParams(await text(request)));
    const status = receiver.statuses.shift() ?? 200;
    response.writeHead(status, status === 302 ? { Location: `${receiver.url}/elsewhere` } : {}).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log-out`;
  return Object.assign(receiver, { stop: () => server.close().closeAllConnections() });
}
