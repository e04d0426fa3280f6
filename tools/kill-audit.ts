import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, readCount, refuseCommandLine } from '@keydesk/testing';
import { runApiKillAudit } from './kill-audit/api/run-api-kill-audit.ts';
import { runAuthKillAudit } from './kill-audit/auth/run-auth-kill-audit.ts';

const usage = `Usage: npm run kill-audit -- [--app tickets-api|auth] [--kills 100] [--connections 8] [--storage-url URL]

Kills the API or the authorization server repeatedly under write load and checks for lost or partial writes.
Exits with 1 when it finds any. --storage-url selects an empty database (default: a temporary SQLite file).`;
const { values: options } = readCommandLine(usage, {
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
if (!runKillAudit) refuseCommandLine(`Unknown app "${options.app}"; use ${[...audits.keys()].join(' or ')}.`);
const load = {
  kills: readCount('--kills', options.kills),
  connections: readCount('--connections', options.connections),
};
const folder = mkdtempSync(join(tmpdir(), 'keydesk-kill-audit-'));
try {
  const audit = await runKillAudit({
    folder,
    storageUrl: options['storage-url'] ?? `sqlite:${join(folder, 'audited.db')}`,
    ...load,
    onKill: (kill, acknowledged) => console.error(`${kill} kills, ${acknowledged} requests acknowledged`),
  });
  console.log(JSON.stringify(audit, null, 2));
  if (audit.faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
