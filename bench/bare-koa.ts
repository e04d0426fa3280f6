import { readFileSync } from 'node:fs';
import Koa from 'koa';
import type { Recorded } from './recording.ts';

// The yardstick of the API: Koa and nothing else, answering each path with the bytes that the API was seen to send.
// Prints its port. The first argument is the recording; with a second, `fields`, it sends its header fields, too.
const [, , file, fields] = process.argv;
const recording = new Map(
  Object.entries(JSON.parse(readFileSync(String(file), 'utf8')) as Record<string, Recorded>),
);
const app = new Koa();
app.use(async (ctx) => {
  const answer = recording.get(`${ctx.method} ${ctx.url}`);
  if (!answer) return;
  if (ctx.method === 'POST') for await (const chunk of ctx.req) void chunk;
  ctx.status = answer.status;
  ctx.type = answer.contentType;
  if (fields !== undefined) ctx.set(answer.fields);
  ctx.body = answer.body;
});
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
process.on('SIGTERM', () => process.exit(0));
