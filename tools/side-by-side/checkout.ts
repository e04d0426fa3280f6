import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of this version. */
export const thisVersion = join(import.meta.dirname, '../..');

const INSTALL = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];

/** Whether this clone contains a commit; a shallow one contains few. */
export function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: thisVersion, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Unpacks the apps of a commit into a new folder. With the same lock file it shares the installed dependencies of this
 * version; otherwise it installs its own.
 */
export function checkOut(commit: string, folder: string): void {
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', commit], { cwd: thisVersion, maxBuffer: 1_000_000_000 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const lockOf = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(thisVersion)) shareDependencies(folder);
  else execFileSync('npm', INSTALL, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Links the dependencies one by one, because packages of the workspace have to be those of the folder. */
function shareDependencies(folder: string): void {
  for (const modules of globSync('{.,apps/*}/node_modules', { cwd: thisVersion })) {
    mkdirSync(join(folder, modules));
    for (const name of readdirSync(join(thisVersion, modules)).filter((each) => each !== '@keydesk'))
      symlinkSync(join(thisVersion, modules, name), join(folder, modules, name));
  }
  const own = join(folder, 'node_modules/@keydesk');
  mkdirSync(own);
  for (const manifest of globSync('{apps,packages}/*/package.json', { cwd: folder })) {
    const { name } = JSON.parse(readFileSync(join(folder, manifest), 'utf8')) as { name: string };
    symlinkSync(join(folder, dirname(manifest)), join(folder, 'node_modules', name));
  }
}
