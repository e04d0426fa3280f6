import './lifeline.ts';
import { runCli } from '../../apps/auth/src/cli/program.ts';
import type { KeydeskCommand, KeydeskOutput } from './keydesk.ts';

// Runs the commands that `npm start` sends, one after another, until the channel closes.
process.on('message', async ({ args, input }: KeydeskCommand) => {
  const printed: string[] = [];
  const faults: string[] = [];
  const code = await runCli(args, {
    env: process.env,
    print: (line) => void printed.push(line),
    printError: (line) => void faults.push(line),
    readInput: async () => input,
  });
  process.send?.({ code, printed: printed.join(''), faults: faults.join(' ') } satisfies KeydeskOutput);
});
process.channel?.ref();
