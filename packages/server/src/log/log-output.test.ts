import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogOutput } from './log-output.ts';

const script = fileURLToPath(new URL('./log-output.main.fixture.ts', import.meta.url));

/** Starts a logging program without reading its output. */
async function startLogging(count: number) {
  const child = spawn(process.execPath, [script, String(count)], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.pause();
  const [report] = await once(child.stderr.setEncoding('utf8'), 'data');
  expect(report).toBe('all are logged\n');
  return child;
}

describe('the output of a log', () => {
  it('never blocks the program without a reader, and reports the number of lost lines', async () => {
    const count = 100_000;
    const child = await startLogging(count);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stdout.resume();
    await expect.poll(() => output.includes('log.lost')).toBe(true);
    child.stdin.end();
    await once(child, 'close');
    const lines = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const written = lines.filter(({ n }) => n !== undefined).map(({ n }) => n);
    expect(written).toEqual(written.toSorted((a, b) => a - b));
    const lost = lines.filter(({ event }) => event === 'log.lost').reduce((sum, line) => sum + line.count, 0);
    expect(written.length + lost).toBe(count);
    expect(lost).toBeGreaterThan(0);
    expect(lines.at(-1)).toMatchObject({ msg: 'last' });
  });

  it('does not delay the exit of the program when the reader has closed the pipe', async () => {
    const child = await startLogging(10);
    child.stdout.destroy();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('writes lines of any length and alphabet in order', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'keydesk-log-')), 'log');
    const file = openSync(path, 'w');
    onTestFinished(() => {
      closeSync(file);
      rmSync(dirname(path), { recursive: true });
    });
    const lengths = [100_000, 1, 40_000, 10, 32_768, 0];
    const lines = lengths.map((length, n) => `${n} ${'ü€😀'.repeat(length)}\n`);
    const output = createLogOutput(file);
    for (const line of lines) output.write(line);
    await expect.poll(() => readFileSync(path, 'utf8')).toBe(lines.join(''));
  });

  it('continues when the disk is full', async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const output = createLogOutput(full);
    for (let n = 0; n < 3; n += 1) {
      output.write('a line\n');
      await sleep(150);
    }
  });
});
