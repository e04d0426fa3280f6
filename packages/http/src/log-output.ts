import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** A line waits no longer than this. */
const FLUSH_MS = 100;
/** Under load so many lines share one system call, which costs more than all else of a line. */
const BATCH_CHARACTERS = 32_768;
/** What may wait while nothing can be written. */
const MAX_WAITING_CHARACTERS = 8_388_608;
/** How long the end of the process waits for a reader that is slow. */
const END_PATIENCE_MS = 1_000;

/**
 * Lines on their way to a file, a pipe or a terminal, by its descriptor. They are written in batches off the event loop.
 * Neither a reader that stands still or goes away nor a full disk keeps the program from its work, or from its end: what
 * is too much to wait for that is dropped, and a line tells how much it was once lines can be written again.
 *
 * It is our own because pino's destination ends the process on a full disk, and does not let it end when the reader has
 * gone.
 */
export function createLogOutput(fd: number): DestinationStream {
  let waiting: string[] = [];
  let size = 0;
  /** Lines that were dropped, and that nobody was told of yet. */
  let lost = 0;
  /** What is not written yet of a batch, and how many lines it has or tells of. */
  let batch = { rest: Buffer.alloc(0), count: 0 };
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;

  function takeWaiting(): typeof batch {
    const lines = lost > 0 ? [...waiting, tellLost(lost)] : waiting;
    const taken = { rest: Buffer.from(lines.join('')), count: waiting.length + lost };
    [waiting, size, lost] = [[], 0, 0];
    return taken;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    if (batch.rest.length === 0) batch = takeWaiting();
    if (batch.rest.length === 0) return;
    isWriting = true;
    write(fd, batch.rest, goOn);
  }

  function goOn(err: Error | null, written: number): void {
    isWriting = false;
    if (!err) batch.rest = batch.rest.subarray(written);
    else if (!isFull(err)) drop();
    if (!err && (batch.rest.length > 0 || size >= BATCH_CHARACTERS)) flush();
    else if (batch.rest.length > 0 || size > 0) flushSoon();
  }

  function drop(): void {
    lost += batch.count;
    batch = { rest: Buffer.alloc(0), count: 0 };
  }

  function flushSoon(): void {
    timer ??= setTimeout(flush, FLUSH_MS).unref();
  }

  process.once('exit', () => {
    if (!isWriting) writeAll(fd, batch.rest);
    writeAll(fd, takeWaiting().rest);
  });

  return {
    write(line) {
      if (size >= MAX_WAITING_CHARACTERS) {
        lost += 1;
        return;
      }
      waiting.push(line);
      size += line.length;
      if (size >= BATCH_CHARACTERS) flush();
      else flushSoon();
    },
  };
}

/** At the end of the process, when nobody can be told of a failure any more. */
function writeAll(fd: number, bytes: Uint8Array): void {
  const giveUpAt = performance.now() + END_PATIENCE_MS;
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (err) {
      if (!isFull(err) || performance.now() > giveUpAt) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** A pipe that nobody has read from for a while. */
function isFull(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === 'EAGAIN';
}

function tellLost(count: number): string {
  const line = { level: 50, time: Date.now(), event: 'log.lost', count, msg: 'lines of the log were lost' };
  return `${JSON.stringify(line)}\n`;
}
