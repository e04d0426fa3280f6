import type { Context, Middleware } from 'koa';

/** Whether a part the service cannot do without answers now; rejects when it does not. */
export type ReadinessCheck = () => Promise<void>;

/** What readiness depends on. */
export interface HealthOptions {
  /** Name → what must answer before the service counts as ready. */
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** How long a check may take before it counts as failed. */
  checkTimeoutMs?: number;
}

/** The probes of a service, and their switch. */
export interface Health {
  /** Answers `GET /healthz` (the process runs) and `GET /readyz` (it can serve); only a failing one is worth a log line. */
  routes: Middleware;
  /** From now on `/readyz` answers 503, so that a load balancer sends no more work. */
  drain(): void;
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** The two probes of a service. */
export function createHealth({ checks, checkTimeoutMs = 2_000 }: HealthOptions): Health {
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
    ctx.body = problems.length > 0 ? { status: 'unavailable', failing: problems } : { status: 'ok' };
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
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
