import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describeWith, type RedisServer, startRedis } from '@keydesk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { POINTS, timedCall } from './limited-server.fixture.ts';

const program = fileURLToPath(new URL('./limited-process.fixture.ts', import.meta.url));

describeWith('redis', 'two processes on one Redis', () => {
  let server: RedisServer;
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    for (const child of processes) child.kill('SIGKILL');
    await server.stop();
  });

  async function startProcess(): Promise<string> {
    const child = spawn(process.execPath, [program, server.url], { stdio: ['pipe', 'pipe', 'inherit'] });
    processes.push(child);
    const [url] = await once(child.stdout.setEncoding('utf8'), 'data');
    return url.trim();
  }

  it('together allow exactly the limit of one', async () => {
    const urls = await Promise.all([startProcess(), startProcess()]);
    const caller = randomUUID();
    const answers: number[] = [];
    for (let i = 0; i < POINTS; i++) {
      const pair = await Promise.all(urls.map((url) => timedCall(url, caller)));
      answers.push(...pair.map(({ status }) => status));
    }
    expect(answers.filter((status) => status === 204)).toHaveLength(POINTS);
    expect(answers.filter((status) => status === 429)).toHaveLength(POINTS);
  });
});
