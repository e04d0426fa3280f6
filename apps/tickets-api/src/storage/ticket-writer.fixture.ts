import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface TicketWriterOptions {
  storageUrl: string;
  /**
   * Insert tickets with the tag `subject`, each with a reply, an event and changes that the reader `subject` sees; or
   * change them too; or try to insert them all for one request with the key `subject`; or increment the custom field
   * `count` of the ticket with the id `subject`.
   */
  task: 'insert' | 'change' | 'repeat' | 'increment';
  subject: string;
  /** How often; for ever by default. */
  times?: number;
}

/** A process of its own that writes tickets. */
export interface TicketWriter {
  start(): void;
  /** The ids of the acknowledged writes so far. */
  acknowledged(): string[];
  /** Resolves when the process has ended, with its exit code. */
  ended: Promise<number | null>;
  /** Ends the process as a power cut would. */
  kill(): void;
}

/** Resolves when the process has opened its store; it writes nothing before `start`. */
export async function startTicketWriter(options: TicketWriterOptions): Promise<TicketWriter> {
  const { storageUrl, task, subject, times = Number.POSITIVE_INFINITY } = options;
  const program = fileURLToPath(new URL('./ticket-writer.main.fixture.ts', import.meta.url));
  const child = fork(program, [storageUrl, task, subject, String(times)], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await once(child, 'message');
  return {
    start: () => void child.send('start'),
    acknowledged: () => output.split('\n').slice(0, -1),
    ended,
    kill: () => void child.kill('SIGKILL'),
  };
}
