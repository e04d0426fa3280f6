import { openStandardOutput } from './standard-output.ts';

// Prints more than the capacity of a pipe and exits with 0.
const print = openStandardOutput();
for (let line = 0; line < 10_000; line += 1) print(`${line} ${'x'.repeat(100)}\n`);
process.exitCode = 0;
