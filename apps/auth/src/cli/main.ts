import { text } from 'node:stream/consumers';
import { openStandardOutput } from '@keydesk/server';
import { runCli } from './program.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  print: openStandardOutput(),
  printError: (output) => void process.stderr.write(output),
  readInput: () => text(process.stdin),
});
