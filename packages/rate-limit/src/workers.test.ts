import { join } from 'node:path';
import { findFreePort, type Program, processesThatLogged, startProgram } from '@keydesk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

/** Without Redis, as on one machine. */
describe('two workers of one primary', () => {
  let url: string;
  let program: Program;

  beforeAll(async () => {
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    program = startProgram(join(import.meta.dirname, 'limited-workers.main.fixture.ts'), {
      args: [String(port)],
    });
    await vi.waitUntil(() => workers().length === 2, { timeout: 90_000 });
  });
  afterAll(() => void program.child.kill('SIGKILL'));

  const workers = () => processesThatLogged(program, 'listening');

  async function send(operation: string, key: string) {
    const response = await fetch(`${url}/${operation}?key=${key}`, { headers: { Connection: 'close' } });
    return { process: response.headers.get('x-process'), result: JSON.parse(await response.text()) };
  }
  const sendMany = (times: number, operation: string, key: string) =>
    Promise.all(Array.from({ length: times }, () => send(operation, key)));

  it('together allow exactly the limit of one process', async () => {
    const answers = await sendMany(60, 'consume', 'caller');
    expect(new Set(answers.map((each) => each.process)).size).toBe(2);
    expect(answers.filter(({ result }) => result.isAllowed)).toHaveLength(20);
  });

  it('allow refunded points again, whichever of them refunds', async () => {
    await sendMany(20, 'consume', 'refunded');
    await sendMany(5, 'refund', 'refunded');
    const answers = await sendMany(20, 'consume', 'refunded');
    expect(answers.filter(({ result }) => result.isAllowed)).toHaveLength(5);
  });

  it('accept a proof once (RFC 9449 §11.1)', async () => {
    const answers = await sendMany(60, 'first-use', 'jti');
    expect(new Set(answers.map((each) => each.process)).size).toBe(2);
    expect(answers.filter(({ result }) => result)).toHaveLength(1);
  });

  it('keep their counts when they are replaced', async () => {
    await sendMany(20, 'consume', 'replaced');
    program.child.kill('SIGHUP');
    await expect.poll(() => program.output().stdout).toContain('workers.replaced');
    expect((await send('consume', 'replaced')).result).toMatchObject({ isAllowed: false });
    expect((await send('first-use', 'jti')).result).toBe(false);
  });
});
