import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, readCount, refuseCommandLine } from '@keydesk/testing';
import { createApiTarget } from './faults/api-target.ts';
import { createAuthTarget } from './faults/auth-target.ts';
import { runDisasters } from './faults/run-disasters.ts';
import { mountSmallDisk } from './faults/small-disk.ts';

const usage = `Usage: npm run disasters -- [--app tickets-api|auth] [--connections 4] [--only TEXT]

Runs an app on SQLite under load and fills its disk, makes it read-only, takes its file descriptors, opens streams that
are never read, and sets its clock (with libfaketime; Debian: 'apt-get install faketime'). Needs root for a small file system. Prints a
JSON line per disaster. Exits with 1 when something acknowledged is lost or doubled, or the app does not recover.`;
const { values: options } = readCommandLine(usage, {
  options: {
    app: { type: 'string', default: 'tickets-api' },
    connections: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
  },
});
const DISK_MIB = 24;
const targets = new Map([
  ['tickets-api', createApiTarget],
  ['auth', createAuthTarget],
]);
const createTarget = targets.get(options.app);
if (!createTarget)
  refuseCommandLine(`Unknown app "${options.app}"; use ${[...targets.keys()].join(' or ')}.`);
const folder = mkdtempSync(join(tmpdir(), 'keydesk-disasters-'));
const mountPoint = join(folder, 'disk');
mkdirSync(mountPoint);
const disk = mountSmallDisk(mountPoint, DISK_MIB);
try {
  if (!disk) {
    console.error('The disasters are skipped: a small file system cannot be mounted (run it as root).');
    process.exitCode = process.env.REQUIRE_SERVICES === '1' ? 1 : 0;
  } else {
    const results = await runDisasters({
      disk,
      folder,
      connections: readCount('--connections', options.connections),
      selected: options.only,
      createTarget,
      onResult: (result) => console.log(JSON.stringify(result)),
    });
    if (results.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
  }
} finally {
  disk?.unmount();
  rmSync(folder, { recursive: true, force: true });
}
