import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HotTicketLoad, HotTicketMeasured } from './hot-ticket.ts';

// Reads a load from standard input, sends it, and prints the measurements. Connections open over the first seconds;
// opening all at once would only measure the overflow of the listener's queue.
const RAMP_SECONDS = 2;
const load = JSON.parse(await text(process.stdin)) as HotTicketLoad & { seconds: number };
const agent = new Agent({ keepAlive: true });
const countsFrom = performance.now() + RAMP_SECONDS * 1000;
const endsAt = countsFrom + load.seconds * 1000;
let changes = 0;

/** Status and latency in milliseconds of each response of one connection. */
type Latencies = [status: number, milliseconds: number][];

async function work(index: number, toRequests: readonly (() => Promise<number>)[]): Promise<Latencies> {
  const latencies: Latencies = [];
  await sleep(index * RAMP_SECONDS);
  for (let i = index; performance.now() < endsAt; i++) {
    const sentAt = performance.now();
    const status = (await toRequests[i % toRequests.length]?.()) ?? 0;
    if (sentAt >= countsFrom) latencies.push([status, performance.now() - sentAt]);
  }
  return latencies;
}

function read(id: string): Promise<number> {
  return send('GET', id);
}

function change(id: string): Promise<number> {
  return send('PATCH', id, JSON.stringify({ subject: `Change ${changes++}` }));
}

function send(method: string, id: string, body = ''): Promise<number> {
  const headers = {
    ...load.headers,
    ...(body && { 'Content-Type': 'application/merge-patch+json', 'Content-Length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${load.url}/ticket/${id}.json`, { method, agent, headers }, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0)).resume();
    });
    sent.on('error', reject).end(body);
  });
}

const watching = load.measured.map((id, i) => work(i, [() => read(id), () => change(id)]));
const changing = load.background.map((id, i) => work(i * 10, [() => change(id)]));
const [watched, background] = [(await Promise.all(watching)).flat(), (await Promise.all(changing)).flat()];
const count = (latencies: Latencies, status: number) => latencies.filter(([each]) => each === status).length;
const measured: HotTicketMeasured = {
  requestsPerSecond: count(watched, 200) / load.seconds,
  p99Milliseconds:
    watched.map(([, each]) => each).toSorted((a, b) => a - b)[Math.floor(watched.length * 0.99)] ?? 0,
  backgroundChanges: count(background, 200),
  refused: count(background, 503),
};
if (
  measured.backgroundChanges + measured.refused < background.length ||
  count(watched, 200) < watched.length
) {
  console.error(`${load.url} responded with a status other than 200, or 503 to a change of the hot ticket`);
  process.exit(1);
}
console.log(JSON.stringify(measured));
