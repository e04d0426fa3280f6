import cluster from 'node:cluster';
import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Maximum delay of a line. */
const FLUSH_MS = 100;
const LINE_END = 10;
/** Size of a write. Under load, lines share one system call, the most expensive part of writing a line. */
const WRITE_SIZE = 32_768;
/** Size up to which writes to a pipe are atomic (PIPE_BUF of Linux), so that the lines of several workers never mix. */
const ATOMIC_SIZE = 4_096;
/** Maximum length of the lines that wait behind a write. */
const MAX_WAITING = 8_388_608;
/** Time limit for a slow reader at process exit. */
const EXIT_TIMEOUT_MS = 1_000;

/**
 * Writes log lines to a file descriptor in batches, off the event loop. A stalled or closed reader or a full disk
 * neither blocks the program nor delays its exit: lines above the limit are dropped, and a line reports their number
 * when writing works again.
 *
 * It replaces pino's destination, whose last write at process exit is repeated forever when the disk is full or the
 * reader has closed the pipe.
 */
export function createLogOutput(fd: number): DestinationStream {
  let waiting = '';
  let waitingCount = 0;
  /** Unwritten bytes of the lines before the waiting ones. */
  let batch: Uint8Array = Buffer.alloc(0);
  let batchCount = 0;
  /** Number of dropped lines not yet reported. */
  let lost = 0;
  /** Number of bytes that are being written. */
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;

  function append(line: string, count: number): void {
    waiting += line;
    waitingCount += count;
  }

  /** Starts a batch with the waiting lines and the report of lost ones. */
  function beginBatch(): void {
    if (lost > 0) append(toLostLine(lost), lost);
    lost = 0;
    batch = Buffer.from(waiting);
    batchCount = waitingCount;
    waiting = '';
    waitingCount = 0;
  }

  function dropBatch(): void {
    lost += batchCount;
    batch = batch.subarray(batch.length);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (inFlight > 0) return;
    if (batch.length === 0) beginBatch();
    const next = takeWrite(batch);
    inFlight = next.length;
    if (inFlight > 0) write(fd, next, onWritten);
  }

  function onWritten(err: Error | null, written: number): void {
    inFlight = 0;
    if (!err) batch = batch.subarray(written);
    else if (!isPipeFull(err)) dropBatch();
    if (!err && (batch.length > 0 || waiting.length >= WRITE_SIZE)) flush();
    else if (batch.length > 0 || waiting !== '') flushSoon();
  }

  function flushSoon(): void {
    timer ??= setTimeout(flush, FLUSH_MS).unref();
  }

  process.once('exit', () => {
    const rest = batch.subarray(inFlight);
    beginBatch();
    writeAll(fd, Buffer.concat([rest, batch]));
  });

  return {
    write(line) {
      if (waiting.length >= MAX_WAITING) {
        lost += 1;
        return;
      }
      append(line, 1);
      if (waiting.length >= WRITE_SIZE) flush();
      else flushSoon();
    },
  };
}

/** Returns the part that one write sends: whole lines in a worker, which shares the output with others. */
function takeWrite(bytes: Uint8Array): Uint8Array {
  if (!cluster.isWorker) return bytes.subarray(0, WRITE_SIZE);
  const end = bytes.subarray(0, ATOMIC_SIZE).lastIndexOf(LINE_END) + 1;
  // A longer line is one write.
  return bytes.subarray(0, end || bytes.indexOf(LINE_END) + 1 || bytes.length);
}

/** Writes synchronously at process exit; ignores errors, which can no longer be reported. */
function writeAll(fd: number, bytes: Uint8Array): void {
  const giveUpAt = performance.now() + EXIT_TIMEOUT_MS;
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, takeWrite(rest)));
    } catch (err) {
      if (!isPipeFull(err) || performance.now() > giveUpAt) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function isPipeFull(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === 'EAGAIN';
}

function toLostLine(count: number): string {
  const line = { level: 50, time: Date.now(), event: 'log.lost', count, msg: 'lines of the log were lost' };
  return `${JSON.stringify(line)}\n`;
}
