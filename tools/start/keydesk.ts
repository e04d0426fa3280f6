import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Command of the authorization server, with what it reads from its standard input. */
export interface KeydeskCommand {
  args: readonly string[];
  input: string;
}

export interface KeydeskOutput {
  code: number;
  printed: string;
  faults: string;
}

/** Runs commands of the authorization server, one at a time. */
export interface Keydesk {
  run(args: readonly string[], input?: string): Promise<KeydeskOutput>;
}

const PROGRAM = fileURLToPath(import.meta.resolve('./keydesk-commands.ts'));

/**
 * Creates a runner of commands whose process starts with the first of them and ends on disposal: loaded in this one,
 * the authorization server would stay in its memory.
 *
 * @param env the whole environment of the commands
 */
export function createKeydesk(env: NodeJS.ProcessEnv): Keydesk & Disposable {
  let started: { child: ChildProcess; ended: Promise<never> } | undefined;
  function start() {
    const child = fork(PROGRAM, { env, detached: true });
    const ended = once(child, 'exit').then(() => {
      throw new Error('The process for the commands of keydesk ended early; see the message above.');
    });
    ended.catch(() => undefined);
    return { child, ended };
  }
  return {
    async run(args, input = '') {
      started ??= start();
      started.child.send({ args, input } satisfies KeydeskCommand);
      const answer = once(started.child, 'message') as Promise<[KeydeskOutput]>;
      const [output] = await Promise.race([answer, started.ended]);
      return output;
    },
    [Symbol.dispose]() {
      if (started?.child.connected) started.child.disconnect();
      started = undefined;
    },
  };
}
