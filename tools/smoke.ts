import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, readCommandLine } from '@keydesk/testing';
import { startCommand, tryCommands } from './smoke/readme-commands.ts';

const usage = `Usage: node tools/smoke.ts [--report FILE]

Tests the first steps of a new user: clones, runs the README's start command and the commands of README and banner,
stops with Ctrl-C and starts again. --report writes the counts as JSON.`;
const { values: options } = readCommandLine(usage, { options: { report: { type: 'string' } } });
const START_LIMIT_MS = 180_000;
const COMMAND_LIMIT_MS = 120_000;

let passed = 0;
let failed = 0;

/** Records and prints one check. */
function check(what: string, problem?: string): void {
  console.log(`${problem ? 'FAIL' : 'ok  '} ${what}${problem ? `\n     ${problem}` : ''}`);
  if (problem) failed += 1;
  else passed += 1;
}

const copy = mkdtempSync(join(tmpdir(), 'keydesk-smoke-'));
let server: ChildProcess | undefined;
try {
  execFileSync('git', ['clone', '--quiet', process.cwd(), copy]);
  const readme = readFileSync(join(copy, 'README.md'), 'utf8');
  const ports = { AUTH_PORT: String(await findFreePort()), API_PORT: String(await findFreePort()) };
  const env = { ...process.env, ...ports };

  const first = await start(startCommand(readme), env);
  server = first.process;
  check(`\`${startCommand(readme)}\` in a clean clone becomes ready`, first.problem);
  for (const command of [...tryCommands(readme), ...bannerCommands(first.output)])
    runPasted(command, env, ports);
  check('Ctrl-C stops it with exit code 0', await stop(server));

  const again = await start(startCommand(readme), env);
  server = again.process;
  check(
    'it starts again on the same data',
    again.problem ??
      (again.output.includes('Installing') ? 'it installed the dependencies again' : undefined),
  );
  check('SIGTERM stops it with exit code 0', await stop(server, 'SIGTERM'));
} catch (err) {
  check('the smoke test completes', String(err));
} finally {
  if (server?.exitCode === null && server.signalCode === null) await stop(server, 'SIGTERM');
  rmSync(copy, { recursive: true, force: true });
}
if (options.report) writeFileSync(options.report, JSON.stringify({ passed, failed, skipped: 0 }));
console.log(`smoke: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

interface Started {
  process: ChildProcess;
  output: string;
  problem?: string;
}

/** Starts the server in its own process group, as a terminal does, and waits for the banner. */
async function start(command: string, env: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: copy,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ready = new Promise<string | undefined>((resolve) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Ctrl-C stops both')) resolve(undefined);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => resolve(`it exited with ${code}: ${output}`));
    setTimeout(() => resolve(`no banner in time: ${output}`), START_LIMIT_MS).unref();
  });
  const problem = await ready;
  return { process: child, output, ...(problem && { problem }) };
}

/** Signals the process group, as Ctrl-C does; resolves with a problem unless the exit code is 0. */
async function stop(
  child: ChildProcess,
  signal: 'SIGINT' | 'SIGTERM' = 'SIGINT',
): Promise<string | undefined> {
  const exit = once(child, 'exit');
  process.kill(signal === 'SIGINT' ? -Number(child.pid) : Number(child.pid), signal);
  const [code, by] = await exit;
  return code === 0 ? undefined : `it exited with ${by ?? code}`;
}

function runPasted(command: string, env: NodeJS.ProcessEnv, ports: Record<string, string>): void {
  const onPorts = command
    .replaceAll(':3000', `:${ports.AUTH_PORT}`)
    .replaceAll(':3001', `:${ports.API_PORT}`);
  try {
    const output = execFileSync('bash', ['-euo', 'pipefail', '-c', onPorts], {
      cwd: copy,
      env,
      timeout: COMMAND_LIMIT_MS,
      encoding: 'utf8',
    });
    check(
      `README: ${command.split('\n').at(-1)}`,
      /"status":[45]\d\d|<status>[45]\d\d/.test(output) ? output : undefined,
    );
  } catch (err) {
    check(`README: ${command}`, String(err));
  }
}

/** Returns the commands of the banner as one script that shares its variables. */
function bannerCommands(output: string): string[] {
  const script = /^ {2}TOKEN=.*\n(?: {2}.*\n)*/m.exec(output);
  return script ? [script[0].trim()] : [];
}
