// Checks commit messages: Conventional Commits, a subject of at most 72 characters, and a blank line before the body.
// Plain JavaScript without dependencies, because the hook runs on whatever Node the machine has.
//
//   node tools/check-commits.mjs                  the commits since origin/main; without any, the last commit
//   node tools/check-commits.mjs --message FILE   the message that is being written (commit-msg hook)
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const types = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
const conventional = new RegExp(`^(${types.join('|')})(\\([a-z0-9-]+\\))?!?: \\S`);
const MAX_SUBJECT_LENGTH = 72;
/** Messages that git writes: merges, and what `git rebase --autosquash` folds into another commit. */
const written = /^(Merge |(fixup|squash|amend)! )/;

const root = realpathSync(dirname(dirname(fileURLToPath(import.meta.url))));

/** Runs git in the repository; undefined when git is missing or fails. */
function git(args, input) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', input });
  return status === 0 ? stdout : undefined;
}

function findFaults(message) {
  const [subject = '', second = ''] = message.split('\n');
  const faults = [];
  if (!conventional.test(subject))
    faults.push(`start with "type: " or "type(scope): "; types are ${types.join(', ')}`);
  if (subject.length > MAX_SUBJECT_LENGTH)
    faults.push(`shorten the subject to ${MAX_SUBJECT_LENGTH} characters (has ${subject.length})`);
  if (second.trim() !== '') faults.push('leave the second line blank');
  return faults;
}

/** The message as git will store it: without comments and what follows the scissors of `commit --verbose`. */
function readMessage(file) {
  const [text] = readFileSync(file, 'utf8').split(/^. -+ >8 -+$/m);
  return git(['stripspace', '--strip-comments'], text) ?? text;
}

/** Messages since origin/main; without any, the last commit. Empty outside a clone of this repository. */
function readBranch() {
  if (git(['rev-parse', '--show-toplevel'])?.trim() !== root) return [];
  const list = (...range) =>
    (git(['log', '--no-merges', '-z', '--format=%B', ...range]) ?? '').split('\0').filter(Boolean);
  const commits = list('origin/main..HEAD');
  return commits.length > 0 ? commits : list('-1');
}

const [option, file] = process.argv.slice(2);
const isHook = option === '--message';
const messages = isHook ? [readMessage(file)].filter((message) => !written.test(message)) : readBranch();
const refused = messages
  .map((message) => ({ subject: message.split('\n', 1)[0], faults: findFaults(message) }))
  .filter(({ faults }) => faults.length > 0);

for (const { subject, faults } of refused) {
  console.error(`Invalid commit message: ${subject}`);
  for (const fault of faults) console.error(`  ${fault}`);
}
if (!isHook) console.log(`Checked ${messages.length} commit message${messages.length === 1 ? '' : 's'}.`);
process.exitCode = refused.length > 0 ? 1 : 0;
