import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { GrantLoad } from './grant-load.ts';
import type { Measured } from './load.ts';

// Reads grants from standard input, presents each, and prints the measurements. Codes are presented once; each refresh
// token is replaced by its successor until the time is over.
const {
  url,
  grants,
  workers,
  warmUpSeconds = 0,
  seconds,
} = JSON.parse(await text(process.stdin)) as GrantLoad;
const agent = new Agent({ keepAlive: true, maxSockets: workers });
const latencies: number[] = [];
const countsFrom = performance.now() + warmUpSeconds * 1000;
const endsAt = countsFrom + seconds * 1000;
let next = 0;

async function work(): Promise<void> {
  for (let grant = grants[next++]; grant && performance.now() < endsAt; grant = grants[next++])
    await follow(grant);
}

async function follow(first: Readonly<Record<string, string>>): Promise<void> {
  let grant = first;
  do {
    const sentAt = performance.now();
    const { refresh_token } = await present(grant);
    if (sentAt >= countsFrom) latencies.push(performance.now() - sentAt);
    if (grant.grant_type !== 'refresh_token' || !refresh_token) return;
    grant = { ...grant, refresh_token };
  } while (performance.now() < endsAt);
}

function present(grant: Readonly<Record<string, string>>): Promise<{ refresh_token?: string }> {
  const body = new URLSearchParams(grant).toString();
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, async (response) => {
      const answer = await text(response);
      if (response.statusCode === 200) resolve(JSON.parse(answer));
      else reject(new Error(`${response.statusCode} ${answer}`));
    });
    sent.on('error', reject).end(body);
  });
}

await Promise.all(Array.from({ length: workers }, work));
const elapsedSeconds = (performance.now() - countsFrom) / 1000;
latencies.sort((a, b) => a - b);
const measured: Measured = {
  requestsPerSecond: latencies.length / elapsedSeconds,
  p99Milliseconds: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
};
console.log(JSON.stringify(measured));
agent.destroy();
