import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** A git of its own: neither the machine's settings nor those of a hook that runs the tests reach it. */
const env = {
  PATH: process.env.PATH,
  HOME: tmpdir(),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};
const good = 'fix(auth): refuse a second redemption of a code\n\nTwo requests raced.\n';

let clone: string;
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'check-commits-'));
  for (const path of ['tools/check-commits.mjs', '.husky/commit-msg'])
    await cp(join(root, path), join(clone, path));
});
afterEach(() => rm(clone, { recursive: true, force: true }));

const git = (...args: string[]) => run('git', args, { cwd: clone, env });
const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--message', message);

/** Runs the check; returns its output and exit code. */
async function check(...args: string[]) {
  try {
    const { stdout } = await run(process.execPath, ['tools/check-commits.mjs', ...args], { cwd: clone, env });
    return { status: 0, text: stdout };
  } catch (err) {
    const { code, stderr } = err as { code: number; stderr: string };
    return { status: code, text: stderr };
  }
}

describe('a commit message', () => {
  const checkMessage = async (message: string) => {
    await writeFile(join(clone, 'message'), message);
    return check('--message', 'message');
  };

  test.each([
    good,
    'feat!: require PKCE of every client',
    `docs: ${'x'.repeat(66)}`,
    '# comment of git\nchore: renew pictures\n# second comment\n',
    `ci: show the diff\n# ------------------------ >8 ------------------------\ndiff --git a b\n`,
    'fixup! fix(auth): refuse a second redemption of a code',
    "Merge branch 'main' into renew-pictures",
  ])('passes: %j', async (message) => {
    expect(await checkMessage(message)).toEqual({ status: 0, text: '' });
  });

  test.each([
    ['add a thing', 'start with "type: "'],
    ['feature: add a thing', 'types are build, chore, ci, docs, feat, fix'],
    ['fix(Auth): add a thing', 'start with "type: "'],
    ['fix:add a thing', 'start with "type: "'],
    [`docs: ${'x'.repeat(67)}`, 'shorten the subject to 72 characters (has 73)'],
    ['fix: add a thing\nbecause', 'leave the second line blank'],
    ['', 'start with "type: "'],
  ])('is refused with the reason: %j', async (message, reason) => {
    const { status, text } = await checkMessage(message);
    expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining(reason) });
  });
});

describe('the commits that are checked', () => {
  beforeEach(() => git('init', '--quiet', '--initial-branch=main'));

  test('are those since origin/main', async () => {
    await commit('older than the rule');
    await git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    await commit('on the branch');
    await commit(good);
    const { status, text } = await check();
    expect(status).toBe(1);
    expect(text).toContain('Invalid commit message: on the branch\n');
    expect(text).not.toContain('older than the rule');
  });

  test.each([['without an origin'], ['on main itself']])('are the last one %s', async (where) => {
    await commit('older than the rule');
    await commit(good);
    if (where === 'on main itself') await git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect(await check()).toEqual({ status: 0, text: 'Checked 1 commit message.\n' });
    await commit('last one');
    expect(await check()).toMatchObject({ status: 1 });
  });

  test('are not those of a repository around an unpacked archive', async () => {
    await commit('of another repository');
    await cp(join(clone, 'tools'), join(clone, 'unpacked/tools'), { recursive: true });
    const { stdout } = await run(process.execPath, ['unpacked/tools/check-commits.mjs'], { cwd: clone, env });
    expect(stdout).toBe('Checked 0 commit messages.\n');
  });
});

describe('the hook', () => {
  const install = (path = process.env.PATH) =>
    run(process.execPath, [join(root, 'node_modules/husky/bin.js')], {
      cwd: clone,
      env: { ...env, PATH: path },
    });

  test('refuses a commit whose message is invalid', async () => {
    await git('init', '--quiet');
    await install();
    await expect(commit('add a thing')).rejects.toThrow('Invalid commit message: add a thing');
    await expect(commit(good)).resolves.toBeDefined();
  });

  test.each([
    ['in an unpacked archive', process.env.PATH],
    ['without git', '/nowhere'],
  ])('is left out %s, and the installation succeeds', async (where, path) => {
    if (where === 'without git') await git('init', '--quiet');
    await expect(install(path)).resolves.toBeDefined();
  });
});
