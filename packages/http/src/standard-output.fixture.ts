import { openStandardOutput } from './standard-output.ts';

// A command that prints more than any pipe holds, and ends well.
const print = openStandardOutput();
for (let line = 0; line < 10_000; line += 1) print(`${line} ${'x'.repeat(100)}\n`);
process.exitCode = 0;
