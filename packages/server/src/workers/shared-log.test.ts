import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

it('workers never mix their lines in the log, even if its reader is slow', async () => {
  // The shell connects the program to a pipe, as a container does; Node would create a socket.
  // The reader begins late, so that the pipe fills up and writers have to wait.
  const fixture = join(import.meta.dirname, 'shared-log.main.fixture.ts');
  const script = '"$0" "$1" | { sleep 1; cat; }';
  const child = spawn('/bin/sh', ['-c', script, process.execPath, fixture], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => void process.kill(-Number(child.pid), 'SIGKILL'));
  let output = '';
  const countLines = () => output.split('"msg":"a line"').length - 1;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  await expect.poll(countLines, { timeout: 120_000, interval: 200 }).toBe(8_000);
  const lines = output.split('\n').slice(0, -1);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});
