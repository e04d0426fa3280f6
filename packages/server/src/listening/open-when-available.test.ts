import { AppError } from '@keydesk/errors';
import { findFreePort, isListening } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { openWhenAvailable } from '../index.ts';

describe('a process whose storage is not reachable at its start', () => {
  const unavailable = new AppError('unavailable', 'MongoDB cannot be used: connect ECONNREFUSED');

  async function startWithout(open: () => Promise<string>) {
    const listenOn = { host: '127.0.0.1', port: await findFreePort() };
    const logged: unknown[] = [];
    const log = { error: (line: unknown) => void logged.push(line) };
    const opened = openWhenAvailable(open, { listenOn, log: log as never, pauseMs: 5 });
    return { url: `http://127.0.0.1:${listenOn.port}`, logged, opened };
  }

  it('is alive and not ready, responds 503 with Retry-After, and opens the storage when it arrives', async () => {
    let hasArrived = false;
    const { url, logged, opened } = await startWithout(async () => {
      if (!hasArrived) throw unavailable;
      return 'the storage';
    });
    await expect.poll(() => isListening(Number(new URL(url).port))).toBe(true);
    const answers = await Promise.all(
      ['/healthz', '/readyz', '/tickets.json'].map(async (path) => {
        const { status, headers } = await fetch(url + path);
        return [path, status, headers.get('retry-after')];
      }),
    );
    expect(answers).toEqual([
      ['/healthz', 200, null],
      ['/readyz', 503, '5'],
      ['/tickets.json', 503, '5'],
    ]);
    hasArrived = true;
    expect(await opened).toBe('the storage');
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(logged).toEqual([{ err: unavailable }]);
  });

  it('ends with every other error at once', async () => {
    const { opened } = await startWithout(() => Promise.reject(new Error('it is a standalone server')));
    await expect(opened).rejects.toThrow('standalone');
  });
});
