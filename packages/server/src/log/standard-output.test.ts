import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const command = fileURLToPath(new URL('standard-output.fixture.ts', import.meta.url));

describe('the standard output of a command', () => {
  it('may be closed by its reader at any time', async () => {
    const child = spawn(process.execPath, [command], { stdio: ['ignore', 'pipe', 'pipe'] });
    const faults = text(child.stderr);
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = await once(child, 'exit');
    expect([code, await faults]).toEqual([0, '']);
  });

  it('makes a command fail with one line when it cannot be written', async () => {
    const readable = openSync(command, 'r');
    const child = spawn(process.execPath, [command], { stdio: ['ignore', readable, 'pipe'] });
    closeSync(readable);
    const faults = text(child.stderr as NonNullable<typeof child.stderr>);
    const [code] = await once(child, 'exit');
    expect([code, await faults]).toEqual([
      1,
      expect.stringMatching(/^The output cannot be written: [^\n]+\n$/),
    ]);
  });
});
