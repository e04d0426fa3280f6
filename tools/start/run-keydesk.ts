/** Runs a command of the authorization server in this process and returns its output. */
export async function runKeydesk(args: string[], env: NodeJS.ProcessEnv) {
  const { runCli } = await import('../../apps/auth/src/cli/program.ts');
  const printed: string[] = [];
  const faults: string[] = [];
  const code = await runCli(args, {
    env,
    print: (line) => void printed.push(line),
    printError: (line) => void faults.push(line),
    readInput: async () => '',
  });
  return { code, printed: printed.join(''), faults: faults.join(' ') };
}
