import './start/lifeline.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { releaseStartUpMemory } from '@keydesk/server/start-up-memory';
import { type Program, startPrograms } from './start/programs.ts';

// `npm start`: runs both apps on this machine with development defaults. In production each server is started by its
// own main.ts (see docs/operations/one-machine.md). This process only supervises, so it loads no library; what has to be
// done before both apps are ready is done by a process of its own, whose memory is free afterwards.
const SET_UP = new URL('start/set-up.ts', import.meta.url);

process.exitCode = await run(process.argv.slice(2));

/** Runs both apps until a signal arrives or one of them exits; resolves with the exit code. */
async function run(args: readonly string[]): Promise<number> {
  const running = startPrograms([]);
  const signalled = new Promise<number>((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  });
  // Own process group, so that Ctrl-C does not interrupt a command.
  const setUp = fork(SET_UP, args, { detached: true });
  let isStarted = false;
  setUp.on('message', (program) => {
    isStarted = true;
    running.add(program as Program);
  });
  async function untilFailed(): Promise<number> {
    const [code] = await once(setUp, 'exit');
    if (code !== 0 || !isStarted) return code ?? 1;
    releaseStartUpMemory();
    return new Promise(() => undefined);
  }

  try {
    const end = await Promise.race([signalled, untilFailed(), running.firstEnd]);
    if (typeof end === 'number') return end;
    console.error(`${end}; stopping the other.`);
    return 1;
  } finally {
    setUp.kill();
    await running.stop();
  }
}
