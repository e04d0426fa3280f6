import { readFileSync } from 'node:fs';
import Koa from 'koa';
import type { Recorded } from './recording.ts';

// Baseline of the API: plain Koa that sends the recorded response bytes of each path. Prints its port. The first
// argument is the recording; with `fields` as the second one, it also sends the recorded header fields.
const [, , file, fields] = process.argv;
const recording = new Map(
  Object.entries(JSON.parse(readFileSync(String(file), 'utf8')) as Record<string, Recorded>),
);
/** Length of the times that `createUniqueTimes` appends to paths. */
const TIME_LENGTH = '2000-01-01T00:00:00.000Z'.length;
const app = new Koa();
app.use(async (ctx) => {
  const request = `${ctx.method} ${ctx.url}`;
  const answer = recording.get(request) ?? recording.get(request.slice(0, -TIME_LENGTH));
  if (!answer) return;
  if (ctx.method === 'POST') for await (const chunk of ctx.req) void chunk;
  ctx.status = answer.status;
  ctx.type = answer.contentType;
  if (fields !== undefined) ctx.set(answer.fields);
  ctx.body = answer.body;
});
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
process.on('SIGTERM', () => process.exit(0));
