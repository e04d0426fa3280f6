import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, type Program, startProgram, untilReady } from '@keydesk/testing';
import { createDisasters, setClock } from './disasters.ts';
import { startObserver } from './observer.ts';
import { type FaultResult, runFault, stop } from './run-fault.ts';
import type { SmallDisk } from './small-disk.ts';
import type { Target, TargetOptions } from './target.ts';

export interface DisasterRun {
  /** Where the database goes. */
  disk: SmallDisk;
  folder: string;
  connections: number;
  /** Selects disasters by a part of their name. */
  selected: string;
  createTarget(options: TargetOptions): Promise<Target>;
  onResult?: (result: FaultResult) => void;
}

const LIBFAKETIME = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (triple) => `/usr/lib/${triple}/faketime/libfaketime.so.1`,
);

/** Runs each disaster of one machine under load, on SQLite. */
export async function runDisasters(options: DisasterRun): Promise<readonly FaultResult[]> {
  const { disk, folder, connections, selected, createTarget } = options;
  await using opened = new AsyncDisposableStack();
  const port = await findFreePort();
  const observer = opened.adopt(await startObserver(port), (each) => each.stop());
  const storageUrl = `sqlite:${join(disk.folder, 'data.db')}`;
  const urls = { url: observer.url, storageUrl, directUrl: storageUrl, folder };
  const target = opened.adopt(await createTarget(urls), (each) => each.stop());
  const library = LIBFAKETIME.find((path) => existsSync(path));
  const clockFile = library && join(folder, 'clock');
  if (clockFile) setClock(clockFile, 0);
  const start = async () => {
    const started = startTarget(target, port, toClockEnv(library, clockFile));
    await untilReady(`http://127.0.0.1:${port}`, started);
    return started;
  };
  let server = await start();
  opened.defer(() => stop(server));
  const disasters = createDisasters({
    disk,
    clockFile,
    port,
    stream: target.stream,
    pid: () => server.child.pid ?? 0,
    async restart(whileStopped) {
      await stop(server);
      whileStopped();
      server = await start();
    },
  });
  const results: FaultResult[] = [];
  for (const fault of disasters.filter(({ name }) => name.includes(selected))) {
    const result = await runFault({ fault, connections, target, observer, server: () => server, port });
    options.onResult?.(result);
    results.push(result);
  }
  return results;
}

/** Environment by which libfaketime offsets the wall clock of a process, and leaves its monotonic one. */
function toClockEnv(library: string | undefined, clockFile: string | undefined): Record<string, string> {
  if (!library || !clockFile) return {};
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}

function startTarget({ app, env }: Target, port: number, clock: Record<string, string>): Program {
  const main = join(import.meta.dirname, `../../apps/${app}/src/main.ts`);
  return startProgram(main, { env: { ...env, ...clock, API_PORT: String(port), AUTH_PORT: String(port) } });
}
