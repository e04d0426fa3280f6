import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { findFreePort } from './free-port.ts';

/** Options of a Redis server for a suite. */
export interface RedisServerOptions {
  /** Default: any free port. Use the port of a killed server to restart it. */
  port?: number | undefined;
  /** Password for clients; default: none. */
  password?: string | undefined;
}

/** A `redis-server` process on a loopback port without persistence. */
export interface RedisServer {
  /** `redis://127.0.0.1:port`, without the password. */
  url: string;
  port: number;
  /** Stops the server in any state. */
  stop(): Promise<void>;
  /** Suspends the process (SIGSTOP): connections stay open and nothing answers. */
  freeze(): void;
  /** Resumes a frozen process (SIGCONT). */
  thaw(): void;
  /** Kills the server like a crash (SIGKILL). */
  kill(): Promise<void>;
}

/**
 * Starts `redis-server` from the PATH and waits until it accepts connections. It is killed when this process exits.
 *
 * @throws {Error} with its output when it cannot start
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

/** Resolves when the child exits; kills it when this process exits first. */
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
    // Not 'exit', which may fire before the last output is read.
    child.once('close', () => reject(new Error(`redis-server exited at start:\n${output}`)));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
}
