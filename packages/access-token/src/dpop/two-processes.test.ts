import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  createDpopKey,
  describeWith,
  type RedisServer,
  startRedis,
  startTestIssuer,
  type TestIssuer,
} from '@keydesk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const program = fileURLToPath(new URL('./resource-process.fixture.ts', import.meta.url));

describeWith('redis', 'a resource server of two processes (RFC 9449 §11.1)', () => {
  let redis: RedisServer;
  let issuer: TestIssuer;
  let urls: string[];
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    issuer = await startTestIssuer();
    urls = await Promise.all([startProcess(), startProcess()]);
  });
  afterAll(async () => {
    for (const child of processes) child.kill('SIGKILL');
    await issuer.stop();
    await redis.stop();
  });

  async function startProcess(): Promise<string> {
    const { issuer: url, jwksUrl, audience } = issuer;
    const settings = JSON.stringify({ redisUrl: redis.url, issuer: url, jwksUrl, audience });
    const child = spawn(process.execPath, [program, settings], { stdio: ['pipe', 'pipe', 'inherit'] });
    processes.push(child);
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    return line.trim();
  }

  it('accepts each proof once across concurrent requests to both', async () => {
    const key = createDpopKey();
    const token = issuer.token({ cnf: { jkt: key.thumbprint } });
    for (let round = 0; round < 20; round++) {
      const proof = key.proof({ url: `${issuer.audience}/`, token });
      const headers = { Authorization: `DPoP ${token}`, DPoP: proof };
      const answers = await Promise.all([...urls, ...urls].map((url) => fetch(url, { headers })));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, 401, 401, 401]);
    }
  });
});
