import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findService, readCommandLine, readCount } from '@keydesk/testing';
import { findMissing } from './images/command.ts';
import { brokerChecks } from './keycloak/broker-checks.ts';
import { installKeycloak } from './keycloak/distribution.ts';
import { logOutChecks } from './keycloak/log-out-checks.ts';
import { runChecks } from './keycloak/report.ts';
import { signInChecks } from './keycloak/sign-in-checks.ts';
import { startWorld } from './keycloak/world.ts';

const usage = `Usage: npm run keycloak -- [--version 26.5.0] [--minutes 30]

Runs Keycloak beside both apps and checks, in Chromium, that users of Keycloak sign in at Keydesk and that users of
Keydesk sign in at Keycloak. Needs Java 17, Maven and Chromium. Keycloak comes from Maven Central, once per version, and
is kept below ~/.cache/keydesk. Skips with the reason where a program is missing; with REQUIRE_SERVICES=1 that is a
failure. Exits with 1 when a check fails.`;
const { values: options } = readCommandLine(usage, {
  options: {
    version: { type: 'string', default: '26.5.0' },
    minutes: { type: 'string', default: '30' },
  },
});
const minutes = readCount('--minutes', options.minutes);

const missing = [
  ...findMissing(['java', 'mvn']),
  ...(findService('chromium') === undefined ? ['chromium'] : []),
];
if (missing.length > 0) {
  console.log(`Skipped: ${missing.join(', ')} not installed.`);
  process.exit(process.env.REQUIRE_SERVICES === '1' ? 1 : 0);
}

const home = await installKeycloak(options.version);
await using started = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'keydesk-keycloak-'));
started.defer(() => rmSync(folder, { recursive: true, force: true }));
const giveUp = (why: string) => () => {
  console.error(why);
  process.exitCode = 1;
  void started.disposeAsync().finally(() => process.exit(1));
};
const limit = setTimeout(giveUp(`Not finished within ${minutes} minutes.`), minutes * 60_000);
started.defer(() => clearTimeout(limit));
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, giveUp(`Ended by ${name}.`));

const world = await startWorld(home, { folder, started });
console.log(`Keycloak ${options.version}`);
const failures = await runChecks(world, [...signInChecks, ...logOutChecks, ...brokerChecks]);
console.log(failures === 0 ? 'All checks passed.' : `${failures} checks failed.`);
if (failures > 0) process.exitCode = 1;
