import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findViolations } from './prose/find-violations.ts';

/** Texts that quote other English: the words people see, which have their own style, and the word list itself. */
const exempt =
  /apps\/auth\/src\/pages\/(?:messages|templates)\/|apps\/auth\/src\/mail\/[a-z-]+-texts|^tools\/prose/;
const prose = ['*.ts', '*.md'];

/** Checks the English of all tracked files, or of the given paths. Exits with 1 when a rule is broken. */
const paths = process.argv.slice(2);
const files = execFileSync('git', ['ls-files', '-z', '--', ...(paths.length > 0 ? paths : prose)], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => /\.(?:ts|md)$/.test(file) && !exempt.test(file));

let count = 0;
for (const file of files) {
  for (const { line, found, instead } of findViolations(file, readFileSync(file, 'utf8'))) {
    count += 1;
    console.log(`${file}:${line}: "${found}"; write: ${instead}`);
  }
}
console.log(`${files.length} files, ${count} violations`);
process.exitCode = count === 0 ? 0 : 1;
