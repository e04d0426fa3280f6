import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it where they are missing, for this user alone. Node's own recursive `mkdir` never returns below a folder
 * that refuses new ones with ENOENT, as `/proc` does.
 *
 * @throws Node's error of the first folder that cannot be made
 */
export function ensureFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) ensureFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (err) {
    // Another process may have been faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw err;
  }
}
