import { type ChildProcess, spawn } from 'node:child_process';
import type { ReadyProgram } from './readiness.ts';

/** A program to run. */
export interface Program extends ReadyProgram {
  script: string;
  /** Its whole environment. */
  env: NodeJS.ProcessEnv;
}

export interface Running {
  /** Starts another program, unless `stop` was called. */
  add(program: Program): void;
  /** Resolves when every program is ready. @throws {Error} when one exits or takes too long */
  ready(): Promise<void>;
  /** Resolves with a description when the first program exits. */
  firstEnd: Promise<string>;
  /** Sends SIGTERM to all programs, waits for them, and kills them after a time limit. */
  stop(): Promise<void>;
}

const STOP_LIMIT_MS = 15_000;
/** Module that stops a program when this process ends. */
const LIFELINE = import.meta.resolve('./lifeline.ts');

/** Starts programs on this Node with inherited output. */
export function startPrograms(
  programs: readonly Program[],
  { readyLimitSeconds }: { readyLimitSeconds?: number } = {},
): Running {
  const started: { program: Program; child: ChildProcess; end: Promise<string> }[] = [];
  const { promise: firstEnd, resolve: endFirst } = Promise.withResolvers<string>();
  const stopping = new AbortController();
  function add(program: Program): void {
    if (stopping.signal.aborted) return;
    // Own process group, so that Ctrl-C reaches the programs only through `stop`.
    const child = spawn(process.execPath, ['--import', LIFELINE, program.script], {
      env: program.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    const end = ended(child, program.name);
    void end.then(endFirst);
    started.push({ program, child, end });
  }
  for (const program of programs) add(program);

  return {
    add,
    firstEnd,
    async ready() {
      // Loaded only here, because a process that only supervises needs no HTTP client.
      const { untilReady } = await import('./readiness.ts');
      const failure = firstEnd.then((why) => Promise.reject(new Error(why)));
      failure.catch(() => undefined);
      const options = {
        signal: stopping.signal,
        ...(readyLimitSeconds !== undefined && { limitSeconds: readyLimitSeconds }),
      };
      await Promise.race([Promise.all(started.map(({ program }) => untilReady(program, options))), failure]);
    },
    async stop() {
      stopping.abort();
      for (const { child } of started) child.kill('SIGTERM');
      const kill = setTimeout(() => {
        for (const { child } of started) child.kill('SIGKILL');
      }, STOP_LIMIT_MS);
      await Promise.all(started.map(({ end }) => end));
      clearTimeout(kill);
    },
  };
}

function ended(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (err) => resolve(`${name} could not be started: ${err.message}`));
    child.once('exit', (code, signal) => resolve(`${name} ended with ${signal ?? `exit code ${code}`}`));
  });
}
