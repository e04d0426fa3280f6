import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { poll } from '../rolling-restart/poll.ts';
import { thisVersion } from '../side-by-side/checkout.ts';
import { type App, apps, type Way } from './way.ts';

const run = promisify(execFile);

interface Files {
  folder: string;
  storage: Way['storage'];
  pathOf(app: App): string;
  /** Moves the databases away with their logs, which must not be applied to a backup. */
  moveAway(): void;
}

function createFiles(folder: string): Files {
  mkdirSync(folder);
  const pathOf = (app: App) => join(folder, `${app}.db`);
  return {
    folder,
    storage: { auth: `sqlite:${pathOf('auth')}`, api: `sqlite:${pathOf('api')}` },
    pathOf,
    moveAway() {
      const old = join(folder, 'old');
      mkdirSync(old);
      for (const name of readdirSync(folder).filter((each) => /^(auth|api)\.db/.test(each)))
        renameSync(join(folder, name), join(old, name));
    },
  };
}

/** The commands `keydesk backup` and `helpdesk backup`. */
export function createBackupCommandWay(folder: string): Way {
  const { storage, pathOf, moveAway } = createFiles(folder);
  const copyOf = (app: App) => join(folder, `${app}-copy`);
  return {
    name: 'SQLite, backup command',
    storage,
    async backUp(app) {
      const workspace = new Map<App, string>(apps).get(app);
      const cli = join(thisVersion, `apps/${workspace}/src/cli/main.ts`);
      const env = { ...process.env, STORAGE_URL: storage[app] };
      await run(process.execPath, [cli, 'backup', copyOf(app)], { env });
    },
    async restore() {
      moveAway();
      for (const [app] of apps) cpSync(copyOf(app), pathOf(app));
    },
  };
}

/** More than two of Litestream's default intervals of a second. */
const TWO_COPIES_MS = 2_500;

/**
 * Litestream, which copies the log continuously. Restores its latest state, or that of the time of the backup: the end
 * of a wait, after which everything written before it is copied.
 */
export function createLitestreamWay(
  folder: string,
  { program, isPointInTime }: { program: string; isPointInTime: boolean },
): Way {
  const { storage, pathOf, moveAway } = createFiles(folder);
  const config = join(folder, 'litestream.yml');
  const dbs = apps.map(([app]) => ({ path: pathOf(app), replica: { path: join(folder, `${app}-replica`) } }));
  writeFileSync(config, JSON.stringify({ dbs }));
  const times = new Map<App, string>();
  let replicating: ChildProcess | undefined;
  process.once('exit', () => replicating?.kill('SIGKILL'));
  return {
    name: `SQLite, Litestream to ${isPointInTime ? 'a point in time' : 'its latest state'}`,
    storage,
    async backUp(app) {
      replicating ??= spawn(program, ['replicate', '-config', config], { stdio: 'ignore' });
      const replica = join(folder, `${app}-replica`);
      await poll('the first copy of Litestream', async () => hasFile(replica));
      if (!isPointInTime) return;
      await sleep(TWO_COPIES_MS);
      times.set(app, new Date().toISOString());
    },
    async fail() {
      if (replicating === undefined) return;
      const ended = once(replicating, 'exit');
      replicating.kill('SIGKILL');
      await ended;
    },
    async restore() {
      moveAway();
      for (const [app] of apps) {
        const time = times.get(app);
        const until = time === undefined ? [] : ['-timestamp', time];
        await run(program, ['restore', '-config', config, ...until, pathOf(app)]);
      }
    },
    async stop() {
      replicating?.kill('SIGKILL');
    },
  };
}

function hasFile(folder: string): boolean {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile());
  } catch {
    return false;
  }
}
