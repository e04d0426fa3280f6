import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findService, readCommandLine, readCount } from '@keydesk/testing';
import { runDrill } from './restore-drill/drill.ts';
import { createDumpWay, createSnapshotWay, hasMongoServer } from './restore-drill/mongo-ways.ts';
import { createBackupCommandWay, createLitestreamWay } from './restore-drill/sqlite-ways.ts';
import type { App, Way } from './restore-drill/way.ts';

const usage = `Usage: npm run restore-drill -- [--writes 300] [--only NAME]

Backs up both databases under write load, kills the apps, restores the backups, and prints which acknowledged writes
are lost and what clients see. Ways: backup (the commands), litestream (if LITESTREAM is the path of the program or it is
on the PATH), dump and snapshot (MongoDB, on the server of tools/test-services.sh). Exits with 1 when a write from
before a backup is lost.`;
const { values: options } = readCommandLine(usage, {
  options: { writes: { type: 'string', default: '300' }, only: { type: 'string' } },
});
const writes = readCount('--writes', options.writes);

interface Drill {
  name: string;
  create(folder: string): Way | Promise<Way>;
  /** Database that is backed up first. */
  first: App;
}

const litestream = findService('litestream');
const drills: Drill[] = [
  { name: 'backup', create: createBackupCommandWay, first: 'auth' },
  { name: 'backup', create: createBackupCommandWay, first: 'api' },
  ...(litestream === undefined
    ? []
    : [litestreamDrill(litestream, false), litestreamDrill(litestream, true)]),
  ...(hasMongoServer()
    ? [
        { name: 'dump', create: createDumpWay, first: 'auth' as const },
        { name: 'snapshot', create: createSnapshotWay, first: 'auth' as const },
      ]
    : []),
];

function litestreamDrill(program: string, isPointInTime: boolean): Drill {
  const create = (folder: string) => createLitestreamWay(folder, { program, isPointInTime });
  return { name: 'litestream', create, first: 'auth' };
}

for (const { name, create, first } of drills) {
  if (options.only !== undefined && options.only !== name) continue;
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-restore-drill-'));
  const way = await create(join(folder, 'databases'));
  try {
    const { lines, faults } = await runDrill(way, first, folder, writes);
    console.log(`${way.name} (${first === 'auth' ? 'authorization server' : 'API'} first)`);
    for (const line of lines) console.log(`  ${line}`);
    for (const fault of faults) console.log(`  FAULT: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await way.stop?.();
    rmSync(folder, { recursive: true, force: true });
  }
}
