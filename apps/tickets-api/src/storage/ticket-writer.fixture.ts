import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface TicketWriterOptions {
  storageUrl: string;
  /**
   * Work of the process: `insert` adds tickets with the tag `subject`, each with a reply, an event and changes for the
   * reader `subject`; `change` also changes them; `repeat` adds one ticket for requests with the key `subject`;
   * `increment` increments the custom field `count` of the ticket with the id `subject`.
   */
  task: 'insert' | 'change' | 'repeat' | 'increment';
  subject: string;
  /** Number of repetitions; default: unlimited. */
  times?: number;
}

/** Process that writes tickets. */
export interface TicketWriter {
  start(): void;
  /** Returns the ids of acknowledged writes so far. */
  acknowledged(): string[];
  /** Resolves with the exit code when the process has ended. */
  ended: Promise<number | null>;
  /** Kills the process with SIGKILL. */
  kill(): void;
}

/** Starts the process; resolves when it has opened its store. It writes nothing before `start`. */
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
