import { type ChildProcess, spawn } from 'node:child_process';
import { get as getPlain } from 'node:http';
import { get as getByTls } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** A program to run. */
export interface Program {
  name: string;
  script: string;
  /** Its whole environment. */
  env: NodeJS.ProcessEnv;
  /** Readiness URL, which responds 200 when the program is ready. */
  readyUrl: string;
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

/** Generous limit for a small machine that has just installed the dependencies. */
const READY_LIMIT_SECONDS = 120;
const READY_POLL_MS = 20;
const ANSWER_LIMIT_MS = 5_000;
const STOP_LIMIT_MS = 15_000;
/** Module that stops a program when this process ends. */
const LIFELINE = import.meta.resolve('./lifeline.ts');

/** Starts programs on this Node with inherited output. */
export function startPrograms(
  programs: readonly Program[],
  { readyLimitSeconds = READY_LIMIT_SECONDS } = {},
): Running {
  const started: { program: Program; child: ChildProcess; end: Promise<string> }[] = [];
  const { promise: firstEnd, resolve: endFirst } = Promise.withResolvers<string>();
  let isStopping = false;
  function add(program: Program): void {
    if (isStopping) return;
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

  async function getReady({ name, readyUrl }: Program): Promise<void> {
    const giveUpAt = performance.now() + 1_000 * readyLimitSeconds;
    while (!isStopping && (await statusOf(readyUrl)) !== 200) {
      if (performance.now() > giveUpAt) throw new Error(describeTimeout(name, readyUrl, readyLimitSeconds));
      await sleep(READY_POLL_MS);
    }
  }

  return {
    add,
    firstEnd,
    async ready() {
      const failure = firstEnd.then((why) => Promise.reject(new Error(why)));
      failure.catch(() => undefined);
      await Promise.race([Promise.all(started.map(({ program }) => getReady(program))), failure]);
    },
    async stop() {
      isStopping = true;
      for (const { child } of started) child.kill('SIGTERM');
      const kill = setTimeout(() => {
        for (const { child } of started) child.kill('SIGKILL');
      }, STOP_LIMIT_MS);
      await Promise.all(started.map(({ end }) => end));
      clearTimeout(kill);
    },
  };
}

function describeTimeout(name: string, readyUrl: string, seconds: number): string {
  return `${name} was not ready within ${seconds} seconds (${readyUrl}); see its log above`;
}

function ended(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (err) => resolve(`${name} could not be started: ${err.message}`));
    child.once('exit', (code, signal) => resolve(`${name} ended with ${signal ?? `exit code ${code}`}`));
  });
}

/** Returns the status of a local URL without verifying its certificate, which may not match the address. */
function statusOf(url: string): Promise<number | undefined> {
  const get = url.startsWith('https:') ? getByTls : getPlain;
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    get(url, { rejectUnauthorized: false, agent: false, signal }, (response) =>
      resolve(response.resume().statusCode),
    ).on('error', () => resolve(undefined));
  });
}
