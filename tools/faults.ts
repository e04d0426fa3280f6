import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findService, readCommandLine, readCount, refuseCommandLine } from '@keydesk/testing';
import { createApiTarget } from './faults/api-target.ts';
import { createAuthTarget } from './faults/auth-target.ts';
import { createAllFaults } from './faults/faults.ts';
import { runFaults } from './faults/run-faults.ts';

const usage = `Usage: npm run faults -- [--app tickets-api|auth] [--connections 4] [--fault TEXT]

Starts an app before MongoDB and breaks its connections under load: resets, lost responses, absence, hangs of 5 and
40 seconds, and a primary that steps down. Prints a JSON line per fault. Exits with 1 when something acknowledged is
lost or doubled, or a request gets anything but a success or 503 in time. TEST_MONGODB_URL names a replica set on this
machine that may step down. --fault selects faults by a part of their name.`;
const { values: options } = readCommandLine(usage, {
  options: {
    app: { type: 'string', default: 'tickets-api' },
    connections: { type: 'string', default: '4' },
    fault: { type: 'string', default: '' },
  },
});
const targets = new Map([
  ['tickets-api', createApiTarget],
  ['auth', createAuthTarget],
]);
const createTarget = targets.get(options.app);
if (!createTarget)
  refuseCommandLine(`Unknown app "${options.app}"; use ${[...targets.keys()].join(' or ')}.`);
const url = findService('mongodb');
if (url === undefined) refuseCommandLine('TEST_MONGODB_URL is not set');
const mongoUrl = new URL(url);
mongoUrl.pathname = `/faults_${randomUUID().slice(0, 8)}`;
const folder = mkdtempSync(join(tmpdir(), 'keydesk-faults-'));
try {
  const results = await runFaults({
    mongoUrl: mongoUrl.href,
    folder,
    connections: readCount('--connections', options.connections),
    createFaults: (network) => createAllFaults(network).filter(({ name }) => name.includes(options.fault)),
    createTarget,
    onResult: (result) => console.log(JSON.stringify(result)),
  });
  if (results.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
