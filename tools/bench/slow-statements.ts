import { appendFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';

// Loaded before a server (--import slow-statements.ts?file=PATH): logs each slow SQL statement with its values as a
// line of JSON.
const file = new URL(import.meta.url).searchParams.get('file');
const SLOW_MS = 20;

for (const name of ['all', 'get'] as const) {
  const run = StatementSync.prototype[name] as (this: StatementSync, ...values: unknown[]) => unknown;
  Object.defineProperty(StatementSync.prototype, name, {
    value(this: StatementSync, ...values: unknown[]) {
      const startedAt = performance.now();
      const rows = run.apply(this, values);
      const milliseconds = performance.now() - startedAt;
      if (file && milliseconds > SLOW_MS) {
        appendFileSync(file, `${JSON.stringify({ milliseconds, sql: this.expandedSQL })}\n`);
      }
      return rows;
    },
  });
}
