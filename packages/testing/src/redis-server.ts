import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { findFreePort } from './free-port.ts';

/** How a Redis server of a suite is started. */
export interface RedisServerOptions {
  /** Default: any free port. Give the port of a killed server to bring it back. */
  port?: number | undefined;
  /** What clients must authenticate with; default: nothing. */
  password?: string | undefined;
}

/** A real `redis-server` of the suite's own, on a loopback port, that keeps nothing on disk. */
export interface RedisServer {
  /** `redis://127.0.0.1:port`, without the password. */
  url: string;
  port: number;
  /** Ends it, whatever state it is in. */
  stop(): Promise<void>;
  /** Suspends the process (SIGSTOP): connections stay open and nothing answers. */
  freeze(): void;
  /** Lets a frozen process go on (SIGCONT). */
  thaw(): void;
  /** Ends it as a crash would (SIGKILL). */
  kill(): Promise<void>;
}

/**
 * Starts `redis-server` from the PATH and waits until it accepts connections; it does not outlive this process.
 *
 * @throws when it cannot be started, with its output.
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const port = options.port ?? (await findFreePort());
  const child = spawn('redis-server', toArguments(port, options.password), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = endWithThisProcess(child);
  await untilReady(child);

  async function end(signal: NodeJS.Signals): Promise<void> {
    child.kill(signal);
    await exited;
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => end('SIGKILL'),
    stop() {
      child.kill('SIGCONT');
      return end('SIGTERM');
    },
  };
}

function toArguments(port: number, password: string | undefined): string[] {
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: tmpdir(),
    save: '',
    appendonly: 'no',
    requirepass: password ?? '',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Resolves when the child is gone; kills it when this process exits first. */
function endWithThisProcess(child: ChildProcess): Promise<void> {
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  return new Promise((resolve) => {
    child.once('exit', () => {
      process.off('exit', kill);
      resolve();
    });
  });
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('error', reject);
    // Not 'exit', by which its last words may not have been read yet.
    child.once('close', () => reject(new Error(`redis-server ended at its start:\n${output}`)));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
}
