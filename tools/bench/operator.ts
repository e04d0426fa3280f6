import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const cli = join(import.meta.dirname, '../../apps/auth/src/cli/main.ts');
const run = promisify(execFile);

/**
 * Runs one `keydesk` command against the database of an environment and returns its JSON output. It does not block the
 * event loop, which must detect connections that the server closes in the meantime.
 */
export async function runOperatorCommand<T>(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<T> {
  const running = run(process.execPath, [cli, ...args, '--json'], { env: { ...process.env, ...env } });
  running.child.stdin?.end(input);
  const { stdout } = await running;
  return JSON.parse(stdout) as T;
}
