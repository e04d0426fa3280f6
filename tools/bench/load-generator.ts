import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { createUniqueTimes, type Load, type Measured } from './load.ts';

// Reads a load from standard input, sends it, and prints the measurements.
const {
  url,
  requests,
  seconds,
  connections = 16,
  hasUniqueTimes = false,
} = JSON.parse(await text(process.stdin)) as Load & { seconds: number };
const nextTime = createUniqueTimes();
const setupRequest = (request: autocannon.Request) => ({ ...request, path: request.path + nextTime() });
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: requests.map((request) => ({
    ...request,
    ...(hasUniqueTimes && { setupRequest }),
  })) as autocannon.Request[],
});
// 304 is the successful response to a conditional request.
const notModified = result.statusCodeStats?.['304']?.count ?? 0;
const others = result.non2xx - notModified;
if (others > 0 || result.errors > 0) {
  console.error(`${url}: ${others} responses were neither 2xx nor 304, ${result.errors} failed`);
  process.exit(1);
}
const measured: Measured = {
  requestsPerSecond: (result['2xx'] + notModified) / result.duration,
  p99Milliseconds: result.latency.p99,
};
console.log(JSON.stringify(measured));
