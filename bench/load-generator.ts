import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import type { Load, Measured } from './load.ts';

// Reads a load on standard input, sends it, and prints what it measured.
const {
  url,
  requests,
  seconds,
  connections = 16,
} = JSON.parse(await text(process.stdin)) as Load & { seconds: number };
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: requests.map((request) => ({ ...request })) as autocannon.Request[],
});
if (result.non2xx > 0 || result.errors > 0) {
  console.error(`${url}: ${result.non2xx} answers were not 2xx, ${result.errors} failed`);
  process.exit(1);
}
const measured: Measured = {
  requestsPerSecond: result['2xx'] / result.duration,
  p99Milliseconds: result.latency.p99,
};
console.log(JSON.stringify(measured));
