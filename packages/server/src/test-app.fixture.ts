import Koa, { type Middleware } from 'koa';
import { onTestFinished } from 'vitest';
import {
  apiSecurityHeaders,
  createLogger,
  errorResponses,
  listen,
  requestLog,
  trustProxyHops,
} from './index.ts';

export interface TestApp {
  url: string;
  /** Returns all log lines so far, parsed. */
  lines(): Record<string, unknown>[];
  /** Returns all log lines so far as text. */
  logged(): string;
}

/** Serves a handler with the common middleware of both servers on a free port until the test ends. */
export async function startTestApp(
  handler: Middleware,
  options: { hops?: number; readContext?: () => object | undefined } = {},
): Promise<TestApp> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { hops = 0, readContext } = options;
  const log = createLogger({ name: 'test', level: 'info', isPretty: false, readContext, destination });
  const app = new Koa();
  trustProxyHops(app, hops);
  app.use(requestLog({ log })).use(apiSecurityHeaders()).use(errorResponses()).use(handler);
  const listening = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  onTestFinished(() => listening.close());
  return {
    url: listening.url,
    lines: () => lines.map((line) => JSON.parse(line)),
    logged: () => lines.join(''),
  };
}
