import { errorResponses, listen } from '@keydesk/server';
import Koa from 'koa';
import { example, exampleSchema } from './example-ticket.fixture.ts';
import { createInputParser } from './input/input.ts';
import { applyMergePatch } from './input/merge-patch.ts';
import { readBody, readMergePatch } from './input/request-body.ts';
import { chooseFormat, contentTypes, problemTypes } from './output/format.ts';
import { createProblemRenderer } from './output/problem.ts';
import { createRenderer } from './output/renderer.ts';

export interface EchoApp {
  url: string;
  stop(): Promise<void>;
}

/** Starts an app that responds with every parsed body, and applies PATCH to the example. */
export async function startEchoApp(): Promise<EchoApp> {
  const parse = createInputParser(exampleSchema);
  const renderer = createRenderer({ schema: exampleSchema, singular: 'ticket', plural: 'tickets' });
  const renderProblem = createProblemRenderer({ current: exampleSchema });
  const app = new Koa();
  app.use(
    errorResponses({
      render(ctx, problem) {
        const format = ctx.path.endsWith('.xml') ? 'xml' : 'json';
        ctx.body = renderProblem(format, problem);
        ctx.type = problemTypes[format];
      },
    }),
  );
  app.use(async function echo(ctx) {
    const { format } = chooseFormat(ctx);
    const input =
      ctx.method === 'PATCH'
        ? parse({ format: 'json', value: applyMergePatch(example, await readMergePatch(ctx)) })
        : parse(await readBody(ctx, 'ticket'));
    ctx.body = renderer.one(format, input);
    ctx.set('Content-Type', contentTypes[format]);
  });
  const { url, close } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  return { url, stop: close };
}
