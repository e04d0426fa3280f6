#!/usr/bin/env node
import { openOutput } from '@keydesk/cli';
import { runCli } from './program.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  ...openOutput(),
  env: process.env,
  isTerminal: process.stderr.isTTY === true,
});
