// Runs a program of this repository on the pinned Node. Installs the dependencies first when they are missing or older
// than the lock file. Plain JavaScript, because the Node of the caller runs it.
//
//   node tools/run.mjs tools/start.ts [argument ...]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = join(root, 'node_modules', '.bin', 'node');
const installedLock = join(root, 'node_modules', '.package-lock.json');

function isInstalled() {
  if (!existsSync(pinnedNode) || !existsSync(installedLock)) return false;
  return statSync(installedLock).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

/** Shows the duration of the installation: in place on a terminal, otherwise a line every ten seconds. */
function showProgress() {
  const { stderr } = process;
  const startedAt = Date.now();
  const every = stderr.isTTY ? 1_000 : 10_000;
  const timer = setInterval(() => {
    const text = `Installing the dependencies (once) … ${Math.round((Date.now() - startedAt) / 1_000)} s`;
    stderr.write(stderr.isTTY ? `\r${text}` : `${text}\n`);
  }, every);
  return () => {
    clearInterval(timer);
    if (stderr.isTTY) stderr.write('\n');
  };
}

async function install() {
  process.stderr.write(`Installing the dependencies (once) …${process.stderr.isTTY ? '' : '\n'}`);
  const stopProgress = showProgress();
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--no-progress'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [status] = await once(npm, 'exit');
  stopProgress();
  if (status !== 0) {
    console.error(
      'The installation failed; see the messages above. Fix the problem and run the command again.',
    );
    process.exit(1);
  }
}

if (!isInstalled()) await install();

// The channel closes when this process ends, even by SIGKILL; the program then stops (see start/lifeline.ts).
const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
// Compiled modules are kept, so that the next start neither strips types nor compiles again.
const env = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'), ...process.env };
const child = spawn(pinnedNode, process.argv.slice(2), { cwd: root, stdio, env });
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
// A terminal sends Ctrl-C to the whole process group; a supervisor signals only this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));

/** Stops the program when npm dies. npm opens no channel, but an orphaned process gets a new parent. */
function stopWithParent() {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 500);
}

if ('npm_lifecycle_event' in process.env) stopWithParent();
