#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { openOutput } from '@keydesk/cli';
import { runCli } from './program.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  ...openOutput(),
  env: process.env,
  readInput: () => text(process.stdin),
});
