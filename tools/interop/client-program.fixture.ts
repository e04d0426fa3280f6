import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isListening } from '@keydesk/testing';
import { type Browser, createBrowser, type Page } from '../../apps/auth/src/tests/browser.fixture.ts';
import type { ClientReport, MachineReport } from './client-report.fixture.ts';
import type { Keydesk } from './keydesk.fixture.ts';

/** Command line and environment of a program that uses a client library. */
export interface ClientProgram {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** Generous limit; only a failing test reaches it. */
const START_LIMIT_MS = 60_000;

/**
 * Runs a program that prints an authorization URL, reads the redirect URL from standard input, and prints its report.
 * In between, the account signs in and allows the request.
 *
 * @throws {Error} with the output of a failed program
 */
export async function runConsoleClient(keydesk: Keydesk, program: ClientProgram): Promise<ClientReport> {
  const { child, failure } = start(keydesk, program);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const readLine = async () => {
    const { value } = await lines.next();
    if (typeof value !== 'string') throw await failure;
    return value;
  };
  const { url } = await keydesk.authorize(await readLine());
  child.stdin.end(`${url}\n`);
  return JSON.parse(await readLine());
}

/** Runs a machine client that prints its report. */
export async function runMachine(keydesk: Keydesk, program: ClientProgram): Promise<MachineReport> {
  const { child, failure } = start(keydesk, program);
  child.stdin.end();
  for await (const line of createInterface(child.stdout)) return JSON.parse(line);
  throw await failure;
}

/** A web application and its sign-in step. */
export interface WebClient {
  origin: string;
  signIn(browser: Browser): Promise<Page>;
  /** Listens on its variable `PORT`. */
  program: ClientProgram;
}

/**
 * Runs a web application, signs the account in, and resolves with the next page of the application. The application
 * stops with this call.
 *
 * @throws {Error} with the output of an application that exits, or the page without a redirect
 */
export async function visitWebClient(
  keydesk: Keydesk,
  { origin, signIn, program }: WebClient,
): Promise<Page> {
  const { child, failure } = start(keydesk, program);
  child.stdout.resume();
  try {
    await untilListening(Number(program.env.PORT), failure);
    const browser = createBrowser(origin);
    const redirect = await signIn(browser);
    if (redirect.url.origin !== keydesk.issuer)
      throw new Error(`No redirect to the server: ${redirect.html}`);
    const answer = await keydesk.authorize(redirect.url);
    return await (answer.status === 0 ? browser.open(answer.url) : browser.submit(answer, 'response'));
  } finally {
    child.kill();
    await failure;
  }
}

function start({ env }: Keydesk, program: ClientProgram) {
  const child = spawn(program.command, program.args, { env: { ...env, ...program.env } });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  let errorOutput = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errorOutput += text;
  });
  return { child, failure: failureOf(child, () => errorOutput).finally(() => process.off('exit', kill)) };
}

/** Resolves when a process exits, with the error to throw if it was too early. */
async function failureOf(child: ChildProcess, errorOutput: () => string): Promise<Error> {
  const [code] = await once(child, 'close');
  return new Error(`${child.spawnargs.join(' ')} exited with ${code}: ${errorOutput()}`);
}

/** Resolves when a local port accepts connections. @throws {Error} when the process fails first */
export async function untilListening(port: number, failure: Promise<Error>): Promise<void> {
  const giveUpAt = performance.now() + START_LIMIT_MS;
  let reason: Error | undefined;
  void failure.then((err) => {
    reason = err;
  });
  while (!(await isListening(port))) {
    if (reason) throw reason;
    if (performance.now() > giveUpAt) throw new Error(`Nothing listens on port ${port}.`);
    await sleep(50);
  }
}
