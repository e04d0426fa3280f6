import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** A line waits no longer than this. */
const FLUSH_MS = 100;
/** Under load so many lines share one system call, which costs more than all else of a line. */
const BATCH_BYTES = 32_768;
/** What may wait while nothing can be written. */
const MAX_WAITING_BYTES = 8_388_608;
/** How long the end of the process waits for a reader that is slow. */
const END_PATIENCE_MS = 1_000;
/** What a UTF-16 unit takes of UTF-8 at most. */
const BYTES_OF_UNIT = 3;

/** Lines that are written together. */
interface Batch {
  bytes: Buffer;
  /** From here to the end they are not written yet. */
  start: number;
  end: number;
  /** How many lines it has or tells of. */
  count: number;
}

/**
 * Lines on their way to a file, a pipe or a terminal, by its descriptor. They are written in batches off the event loop.
 * Neither a reader that stands still or goes away nor a full disk keeps the program from its work, or from its end: what
 * is too much to wait for that is dropped, and a line tells how much it was once lines can be written again.
 *
 * It is our own because pino's destination ends the process on a full disk, and does not let it end when the reader has
 * gone. A line becomes bytes at once, for the text that pino makes is a tree of its parts, and to keep hundreds of these
 * costs more than all else here.
 */
export function createLogOutput(fd: number): DestinationStream {
  const batches = createBatches();
  /** Lines that were dropped, and that nobody was told of yet. */
  let lost = 0;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;

  function tellLost(): void {
    if (lost === 0 || batches.isFull()) return;
    batches.append(toLostLine(lost), lost);
    lost = 0;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    tellLost();
    const first = batches.first();
    if (first.length === 0) return;
    isWriting = true;
    write(fd, first, goOn);
  }

  function goOn(err: Error | null, written: number): void {
    isWriting = false;
    if (!err) batches.take(written);
    else if (!isFull(err)) lost += batches.drop();
    if (!err && batches.isDue()) flush();
    else if (!batches.isEmpty()) flushSoon();
  }

  function flushSoon(): void {
    timer ??= setTimeout(flush, FLUSH_MS).unref();
  }

  process.once('exit', () => {
    if (isWriting) batches.drop();
    tellLost();
    for (; !batches.isEmpty(); batches.drop()) writeAll(fd, batches.first());
  });

  return {
    write(line) {
      if (batches.isFull()) {
        lost += 1;
        return;
      }
      tellLost();
      batches.append(line, 1);
      if (batches.isDue()) flush();
      else flushSoon();
    },
  };
}

/** Lines that wait to be written, those that are written together in one piece of memory. */
function createBatches() {
  /** Of the first a part may be written already. The last takes what is appended. */
  const batches = [createBatch()];
  let last = batches[0] as Batch;
  let size = 0;

  function begin(room = 0): void {
    if (last.end === 0) batches.pop();
    last = createBatch(room);
    batches.push(last);
  }

  function take(bytes: number): void {
    const [first] = batches as [Batch];
    first.start += bytes;
    size -= bytes;
    if (first !== last && first.start === first.end) batches.shift();
  }

  return {
    isEmpty: () => size === 0,
    isFull: () => size >= MAX_WAITING_BYTES,
    /** Whether the first shall wait for no more lines. */
    isDue: () => batches.length > 1,
    append(line: string, count: number): void {
      const room = line.length * BYTES_OF_UNIT;
      if (last.end + room > last.bytes.length) begin(room);
      const written = last.bytes.write(line, last.end);
      last.end += written;
      last.count += count;
      size += written;
    },
    /** What is not written of the first, to which nothing is appended from now on. */
    first(): Uint8Array {
      const [{ bytes, start, end }] = batches as [Batch];
      if (batches.length === 1 && end > start) begin();
      return bytes.subarray(start, end);
    },
    /** So much of the first is written. */
    take,
    /** Gives the first up, and tells how many lines that were. */
    drop(): number {
      const [{ start, end, count }] = batches as [Batch];
      take(end - start);
      return count;
    },
  };
}

function createBatch(room = 0): Batch {
  return { bytes: Buffer.allocUnsafe(Math.max(room, BATCH_BYTES)), start: 0, end: 0, count: 0 };
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

function toLostLine(count: number): string {
  const line = { level: 50, time: Date.now(), event: 'log.lost', count, msg: 'lines of the log were lost' };
  return `${JSON.stringify(line)}\n`;
}
