import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runApiKillAudit } from './kill-audit/api/run-api-kill-audit.ts';
import { runAuthKillAudit } from './kill-audit/auth/run-auth-kill-audit.ts';

// npm run kill-audit: SIGKILLs the API, or with `--app auth` the authorization server, under write load, again and again,
// and looks for what was lost or left in part. `--storage-url mongodb://…/an-empty-database --kills 20` does so on MongoDB.
const { values: options } = parseArgs({
  options: {
    app: { type: 'string', default: 'tickets-api' },
    kills: { type: 'string', default: '100' },
    connections: { type: 'string', default: '8' },
    'storage-url': { type: 'string' },
  },
});
const audits = new Map([
  ['tickets-api', runApiKillAudit],
  ['auth', runAuthKillAudit],
]);
const runKillAudit = audits.get(options.app);
if (!runKillAudit) throw new Error(`--app is one of ${[...audits.keys()].join(', ')}.`);
const folder = mkdtempSync(join(tmpdir(), 'keydesk-kill-audit-'));
try {
  const audit = await runKillAudit({
    folder,
    storageUrl: options['storage-url'] ?? `sqlite:${join(folder, 'audited.db')}`,
    kills: Number(options.kills),
    connections: Number(options.connections),
    onKill: (kill, acknowledged) => console.error(`${kill} kills, ${acknowledged} requests acknowledged`),
  });
  console.log(JSON.stringify(audit, null, 2));
  if (audit.faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
