import { setTimeout as sleep } from 'node:timers/promises';

/** Request to create a plan, in the suite's terms. */
export interface PlanRequest {
  plan: string;
  variant: Readonly<Record<string, string>>;
  configuration: Readonly<Record<string, unknown>>;
}

interface Module {
  testModule: string;
  variant?: Readonly<Record<string, string>>;
}

/** Result of a module with its remarks. */
export interface Outcome {
  module: string;
  /** `PASSED`, `WARNING`, `REVIEW`, `SKIPPED`, `FAILED`, or `UNFINISHED` after a time-out or interruption. */
  result: string;
  remarks: readonly string[];
  /** URL of its log. */
  log: string;
}

interface Call {
  query?: Record<string, string>;
  body?: unknown;
}

// The used members of the suite's responses.
type Version = { version: string; revision: string };
type CreatedPlan = { id: string; modules: Module[] };
type State = { status: string; result: string | null };
type Entry = { src: string; msg?: string; result?: string };

type BrowserState = { urls: string[]; visited: string[] };

const UNFINISHED = 'UNFINISHED';
const POLL_MS = 500;
const MODULE_LIMIT_MS = 240_000;
const remarkable: readonly unknown[] = ['FAILURE', 'INTERRUPTED', 'WARNING', 'REVIEW', 'SKIPPED'];

/** Creates a client of a running conformance suite without sign-in. */
export function createSuite(base: string) {
  async function call<Answer>(method: 'GET' | 'POST', path: string, { query = {}, body }: Call = {}) {
    const url = new URL(`${path}?${new URLSearchParams(query)}`, base);
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(url, { method, ...(body !== undefined && json) });
    if (!response.ok)
      throw new Error(toOneLine(`${method} ${url}: ${response.status} ${await response.text()}`));
    return response.json() as Promise<Answer>;
  }

  async function waitForEnd(id: string): Promise<string> {
    const deadline = performance.now() + MODULE_LIMIT_MS;
    while (performance.now() < deadline) {
      const { status, result } = await call<State>('GET', `api/info/${id}`);
      if (status === 'FINISHED' && result !== null) return result;
      if (status === 'INTERRUPTED') break;
      await sleep(POLL_MS);
    }
    return UNFINISHED;
  }

  async function remarksOf(id: string): Promise<string[]> {
    const entries = await call<Entry[]>('GET', `api/log/${id}`);
    return entries
      .filter(({ result }) => remarkable.includes(result))
      .map(({ result, src, msg }) => `${result} ${src}: ${msg}`);
  }

  /** Lists the URLs that the module still expects its browser to visit. */
  async function waitsOf(id: string): Promise<string[]> {
    const { urls, visited } = await call<BrowserState>('GET', `api/runner/browser/${id}`);
    return urls.filter((url) => !visited.includes(url)).map((url) => `WAITING for a visit of ${url}`);
  }

  async function runModule(plan: string, { testModule, variant = {} }: Module): Promise<Outcome> {
    const query = { test: testModule, plan, variant: JSON.stringify(variant) };
    const { id } = await call<{ id: string }>('POST', 'api/runner', { query });
    const result = await waitForEnd(id);
    const log = new URL(`log-detail.html?log=${id}`, base).href;
    const waits = result === UNFINISHED ? await waitsOf(id) : [];
    return { module: testModule, result, remarks: [...(await remarksOf(id)), ...waits], log };
  }

  return {
    version: async () => {
      const { version, revision } = await call<Version>('GET', 'api/server');
      return `${version} (${revision})`;
    },
    /**
     * Runs the modules of a plan one after another, because they share clients and a redirect URI.
     *
     * @param ending suffix of the names of the modules to run; default: all
     * @throws {Error} if no module name has the suffix
     */
    async *run({ plan, variant, configuration }: PlanRequest, ending = ''): AsyncGenerator<Outcome> {
      const query = { planName: plan, variant: JSON.stringify(variant) };
      const created = await call<CreatedPlan>('POST', 'api/plan', { query, body: configuration });
      const asked = created.modules.filter(({ testModule }) => testModule.endsWith(ending));
      if (asked.length === 0) throw new Error(`${plan} has no module that ends in "${ending}".`);
      for (const module of asked) yield await runModule(created.id, module);
    },
  };
}

const MAX_LINE_LENGTH = 300;

function toOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)} …` : line;
}
