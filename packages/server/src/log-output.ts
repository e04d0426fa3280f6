import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Maximum delay of a line. */
const FLUSH_MS = 100;
/** Size of a batch. Under load, lines share one system call, the most expensive part of writing a line. */
const BATCH_BYTES = 32_768;
/** Maximum size of all waiting lines. */
const MAX_WAITING_BYTES = 8_388_608;
/** Time limit for a slow reader at process exit. */
const EXIT_TIMEOUT_MS = 1_000;
/** Maximum UTF-8 length of a UTF-16 code unit. */
const BYTES_OF_UNIT = 3;

/** Lines written with one system call. */
interface Batch {
  bytes: Buffer;
  /** Start of the unwritten bytes. */
  start: number;
  end: number;
  /** Number of lines, lost lines in a report included. */
  count: number;
}

/**
 * Writes log lines to a file descriptor in batches, off the event loop. A stalled or closed reader or a full disk
 * neither blocks the program nor delays its exit: lines above the limit are dropped, and a line reports their number
 * when writing works again.
 *
 * It replaces pino's destination, which ends the process on a full disk and prevents its exit when the reader has
 * closed the pipe. Each line is encoded at once, because pino's strings are ropes that cost more memory than bytes.
 */
export function createLogOutput(fd: number): DestinationStream {
  const batches = createBatches();
  /** Number of dropped lines not yet reported. */
  let lost = 0;
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;

  function reportLost(): void {
    if (lost === 0 || batches.isFull()) return;
    batches.append(toLostLine(lost), lost);
    lost = 0;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    reportLost();
    const first = batches.first();
    if (first.length === 0) return;
    isWriting = true;
    write(fd, first, onWritten);
  }

  function onWritten(err: Error | null, written: number): void {
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
    reportLost();
    for (; !batches.isEmpty(); batches.drop()) writeAll(fd, batches.first());
  });

  return {
    write(line) {
      if (batches.isFull()) {
        lost += 1;
        return;
      }
      reportLost();
      batches.append(line, 1);
      if (batches.isDue()) flush();
      else flushSoon();
    },
  };
}

/** Creates a queue of batches; each batch is one buffer. */
function createBatches() {
  /** The first may be partly written; lines are appended to the last. */
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
    /** Whether the first batch is complete. */
    isDue: () => batches.length > 1,
    append(line: string, count: number): void {
      const room = line.length * BYTES_OF_UNIT;
      if (last.end + room > last.bytes.length) begin(room);
      const written = last.bytes.write(line, last.end);
      last.end += written;
      last.count += count;
      size += written;
    },
    /** Returns the unwritten bytes of the first batch and closes it for appending. */
    first(): Uint8Array {
      const [{ bytes, start, end }] = batches as [Batch];
      if (batches.length === 1 && end > start) begin();
      return bytes.subarray(start, end);
    },
    /** Removes written bytes from the first batch. */
    take,
    /** Drops the first batch and returns its number of lines. */
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

/** Writes synchronously at process exit; ignores errors, which can no longer be reported. */
function writeAll(fd: number, bytes: Uint8Array): void {
  const giveUpAt = performance.now() + EXIT_TIMEOUT_MS;
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

/** Whether an error means that the pipe is full. */
function isFull(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === 'EAGAIN';
}

function toLostLine(count: number): string {
  const line = { level: 50, time: Date.now(), event: 'log.lost', count, msg: 'lines of the log were lost' };
  return `${JSON.stringify(line)}\n`;
}
