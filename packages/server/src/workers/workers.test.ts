import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, isListening, type Program, startLoad, startProgram } from '@keydesk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const FIXTURE = join(import.meta.dirname, 'workers.main.fixture.ts');

interface Served {
  url: string;
  port: number;
  program: Program;
  /** Changes the text that new workers respond; `broken` prevents their start. */
  deploy(text: string): void;
  /** Returns the log lines with a member `event` or a message. */
  logged(what: string): Record<string, unknown>[];
}

async function startWorkers(workers: number, text = 'first'): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'workers-'));
  const file = join(folder, 'text');
  const deploy = (content: string) => writeFileSync(file, content);
  deploy(text);
  const port = await findFreePort(); // The next one is for metrics.
  const program = startProgram(FIXTURE, { args: [String(port), String(workers), file] });
  onTestFinished(async () => {
    program.child.kill('SIGKILL');
    await program.ended;
    rmSync(folder, { recursive: true });
  });
  const logged = (what: string) =>
    program
      .output()
      .stdout.split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ event, msg }) => event === what || msg === what);
  return { url: `http://127.0.0.1:${port}`, port, program, deploy, logged };
}

/** Resolves with the process ids of the workers when there are that many. */
async function processesOf({ url }: Served, count: number): Promise<Set<number>> {
  const seen = new Set<number>();
  const ask = async () => {
    const response = await fetch(url, { headers: { Connection: 'close' } }).catch(() => undefined);
    if (response) seen.add(Number(response.headers.get('x-process')));
    return seen.size;
  };
  await expect.poll(ask, { interval: 10, timeout: 60_000 }).toBe(count);
  return seen;
}

describe('a program with workers', () => {
  it('serves one port with all of them', async () => {
    const served = await startWorkers(3);
    const processes = await processesOf(served, 3);
    expect(processes).not.toContain(served.program.child.pid);
  });

  it('loses only the requests of a killed worker, records it and starts another', async () => {
    const concurrency = 8;
    const served = await startWorkers(2);
    const [victim = 0, other = 0] = await processesOf(served, 2);
    const load = startLoad(served.url, { concurrency });
    await expect.poll(() => load.report().statuses[200]).toBeGreaterThan(100);
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => served.logged('worker.crashed')).toHaveLength(1);
    const before = load.report();
    await expect.poll(async () => (await processesOf(served, 2)).has(other)).toBe(true);
    await expect.poll(() => load.report().statuses[200]).toBeGreaterThan((before.statuses[200] ?? 0) + 500);
    const { failures } = await load.stop();
    expect(failures.length).toBeLessThanOrEqual(concurrency);
    expect(served.logged('worker.crashed')).toMatchObject([
      { level: 50, worker_pid: victim, signal: 'SIGKILL', restart_in_ms: 100 },
    ]);
  });

  it('waits longer before each restart of a worker that crashes again and again', async () => {
    const served = await startWorkers(1);
    await processesOf(served, 1);
    for (let crashes = 1; crashes <= 4; crashes++) {
      await expect
        .poll(() => fetch(`${served.url}/crash`).catch(() => served.logged('worker.crashed').length))
        .toBe(crashes);
    }
    expect(served.logged('worker.crashed').map(({ restart_in_ms }) => restart_in_ms)).toEqual([
      100, 200, 400, 800,
    ]);
  });

  it('replaces all workers on SIGHUP by ones with new code, without one failed request', async () => {
    const served = await startWorkers(2);
    const earlier = await processesOf(served, 2);
    const load = startLoad(served.url);
    served.deploy('second');
    served.program.child.kill('SIGHUP');
    await expect.poll(() => served.logged('workers.replaced')).toHaveLength(1);
    const later = await processesOf(served, 2);
    expect(earlier.isDisjointFrom(later)).toBe(true);
    expect(await (await fetch(served.url)).text()).toBe('second');
    const { statuses, failures } = await load.stop();
    expect([Object.keys(statuses), failures]).toEqual([['200'], []]);
    expect(served.logged('worker.crashed')).toEqual([]);
  });

  it('replaces them once more for any number of signals during a replacement', async () => {
    const served = await startWorkers(1);
    await processesOf(served, 1);
    for (const text of ['second', 'third', 'fourth']) {
      served.deploy(text);
      served.program.child.kill('SIGHUP');
      await expect.poll(() => isListening(served.port)).toBe(true);
    }
    await expect.poll(async () => (await fetch(served.url)).text()).toBe('fourth');
  });

  it('keeps the earlier workers if a new one cannot start', async () => {
    const served = await startWorkers(2);
    const earlier = await processesOf(served, 2);
    served.deploy('broken');
    served.program.child.kill('SIGHUP');
    await expect.poll(() => served.logged('workers.kept')).toHaveLength(1);
    expect(await processesOf(served, 2)).toEqual(earlier);
  });

  it('exits with 1 and the reason of the first worker if it cannot start', async () => {
    const { program } = await startWorkers(3, 'broken');
    expect(await program.ended).toMatchObject({ code: 1, stderr: 'The fixture cannot start.\n' });
  });

  it('drains all workers on SIGTERM and exits with 0, even if every process gets the signal', async () => {
    const served = await startWorkers(2);
    const processes = await processesOf(served, 2);
    for (const pid of processes) process.kill(pid, 'SIGTERM');
    served.program.child.kill('SIGTERM');
    expect(await served.program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(served.logged('draining')).toHaveLength(2);
    expect(served.logged('worker.crashed')).toEqual([]);
  });

  it('ends with its workers when the primary is killed', async () => {
    const served = await startWorkers(2);
    await processesOf(served, 2);
    served.program.child.kill('SIGKILL');
    await expect.poll(() => isListening(served.port)).toBe(false);
  });
});

describe('the metrics of a program with workers', () => {
  /** Returns the value of a metric in the sums that the primary serves. */
  async function read({ port }: Served, name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port + 1}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  }

  async function request({ url }: Served, times: number): Promise<void> {
    for (let sent = 0; sent < times; sent++) await fetch(url, { headers: { Connection: 'close' } });
  }

  it('are the sums of all workers, and never lower after a replacement or crash', async () => {
    const served = await startWorkers(2);
    const [victim = 0] = await processesOf(served, 2);
    await expect.poll(() => read(served, 'workers_serving')).toBe(2);
    const earlier = await read(served, 'fixture_requests_total');
    await request(served, 10);
    expect(await read(served, 'fixture_requests_total')).toBe(earlier + 10);
    served.program.child.kill('SIGHUP');
    await expect.poll(() => served.logged('workers.replaced')).toHaveLength(1);
    expect(await read(served, 'fixture_requests_total')).toBe(earlier + 10);
    const [crashing = victim] = await processesOf(served, 2);
    const before = await read(served, 'fixture_requests_total');
    process.kill(crashing, 'SIGKILL');
    await expect.poll(() => read(served, 'workers_crashed_total')).toBe(1);
    expect(await read(served, 'fixture_requests_total')).toBe(before);
  });

  it('are served without a worker that does not respond', async () => {
    const served = await startWorkers(2);
    const [stopped = 0] = await processesOf(served, 2);
    const before = await read(served, 'fixture_requests_total');
    process.kill(stopped, 'SIGSTOP');
    expect(await read(served, 'fixture_requests_total')).toBe(before);
    process.kill(stopped, 'SIGCONT');
  });
});
