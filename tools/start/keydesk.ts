export interface KeydeskOutput {
  code: number;
  printed: string;
  faults: string;
}

/** Runs commands of the authorization server, one at a time. */
export interface Keydesk {
  run(args: readonly string[], input?: string): Promise<KeydeskOutput>;
}

/**
 * Creates a runner of commands. Their libraries are loaded at once, while the authorization server starts.
 *
 * @param env the whole environment of the commands
 */
export function createKeydesk(env: NodeJS.ProcessEnv): Keydesk {
  const program = import('../../apps/auth/src/cli/program.ts');
  program.catch(() => undefined);
  return {
    async run(args, input = '') {
      const { runCli } = await program;
      const printed: string[] = [];
      const faults: string[] = [];
      const code = await runCli(args, {
        env,
        print: (line) => void printed.push(line),
        printError: (line) => void faults.push(line),
        readInput: async () => input,
      });
      return { code, printed: printed.join(''), faults: faults.join(' ') };
    },
  };
}
