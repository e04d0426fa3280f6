import { readFileSync } from 'node:fs';
import Koa from 'koa';

// The yardstick of the API: Koa and nothing else, answering each path with the bytes that the API was seen to send.
// Prints its port. The one argument is the recording.
interface Recorded {
  status: number;
  contentType: string;
  body: string;
}

const recording = new Map(
  Object.entries(JSON.parse(readFileSync(String(process.argv[2]), 'utf8')) as Record<string, Recorded>),
);
const app = new Koa();
app.use(async (ctx) => {
  const answer = recording.get(`${ctx.method} ${ctx.url}`);
  if (!answer) return;
  if (ctx.method === 'POST') for await (const chunk of ctx.req) void chunk;
  ctx.status = answer.status;
  ctx.type = answer.contentType;
  ctx.body = answer.body;
});
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
process.on('SIGTERM', () => process.exit(0));
