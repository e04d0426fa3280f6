import { Agent, request } from 'node:http';

/** Requests of a load. */
export interface LoadOptions {
  /** Number of requests in flight. */
  concurrency?: number;
  /** Whether all of them reuse their connection. By default half of them open one for each request. */
  isReused?: boolean;
  path?: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** Results of the requests of a load. */
export interface LoadReport {
  /** Number of responses by status. */
  statuses: Readonly<Record<number, number>>;
  /** Responses that a server never sent, by error code. */
  failures: readonly string[];
}

/** Load that continues until it is stopped. */
export interface SteadyLoad {
  report(): LoadReport;
  /** Resolves when the requests in flight have ended. */
  stop(): Promise<LoadReport>;
}

/** Sends requests to a URL, each when the one before has ended, without ever repeating one. */
export function startLoad(
  url: string,
  { concurrency = 8, isReused = false, path = '/', ...sent }: LoadOptions = {},
): SteadyLoad {
  const statuses: Record<number, number> = {};
  const failures: string[] = [];
  let isStopping = false;

  async function keepSending(agent: Agent): Promise<void> {
    while (!isStopping) {
      try {
        const status = await exchange(new URL(path, url), agent, sent);
        statuses[status] = (statuses[status] ?? 0) + 1;
      } catch (err) {
        failures.push(err instanceof Error && 'code' in err ? String(err.code) : String(err));
      }
    }
    agent.destroy();
  }

  const loops = Array.from({ length: concurrency }, (_, index) =>
    keepSending(new Agent({ keepAlive: isReused || index % 2 === 0, maxSockets: 1 })),
  );
  const report = () => ({ statuses: { ...statuses }, failures: [...failures] });
  return {
    report,
    async stop() {
      isStopping = true;
      await Promise.all(loops);
      return report();
    },
  };
}

/** Sends one request and resolves with its status when the whole response has arrived. */
function exchange(
  url: URL,
  agent: Agent,
  { body, ...sent }: Pick<LoadOptions, 'method' | 'headers' | 'body'>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {} } = sent;
    request(url, { agent, method, headers })
      .once('response', (response) =>
        response
          .resume()
          .once('error', reject)
          .once('end', () => resolve(response.statusCode ?? 0)),
      )
      .once('error', reject)
      .end(body);
  });
}
