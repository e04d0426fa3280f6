import type { Context, Middleware } from 'koa';

/** Checks a dependency of the service; rejects when it does not work. */
export type ReadinessCheck = () => Promise<void>;

/** Readiness checks and their time limit. */
export interface HealthOptions {
  /** Checks by name; the service is ready when all succeed. */
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** Returns members that `/readyz` adds to its body. */
  details?: (() => Readonly<Record<string, unknown>>) | undefined;
  /** Time limit of a check. */
  checkTimeoutMs?: number;
}

/** Health probes of a service. */
export interface Health {
  /** Serves `GET /healthz` (the process runs) and `GET /readyz` (it can serve); only failures are logged. */
  routes: Middleware;
  /** Makes `/readyz` respond 503, so that load balancers stop sending requests. */
  drain(): void;
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Creates the health probes of a service. */
export function createHealth({ checks, details, checkTimeoutMs = 2_000 }: HealthOptions): Health {
  let draining = false;

  async function failing(): Promise<string[]> {
    if (draining) return ['draining'];
    const results = await Promise.allSettled(
      Object.values(checks).map((check) => withinTime(check(), checkTimeoutMs)),
    );
    return Object.keys(checks).filter((_, i) => results[i]?.status === 'rejected');
  }

  async function answerProbe(ctx: Context): Promise<void> {
    const problems = ctx.path === '/readyz' ? await failing() : [];
    ctx.status = problems.length > 0 ? 503 : 200;
    ctx.state.isRoutine = problems.length === 0;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      ...(problems.length > 0 ? { status: 'unavailable', failing: problems } : { status: 'ok' }),
      ...(ctx.path === '/readyz' && details?.()),
    };
  }

  return {
    routes: (ctx, next) => (probes.has(ctx.path) ? answerProbe(ctx) : next()),
    drain() {
      draining = true;
    },
  };
}

async function withinTime(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
