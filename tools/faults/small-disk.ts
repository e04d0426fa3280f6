import { spawnSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A small file system (ext4) on a file of its own. */
export interface SmallDisk {
  /** Where it is mounted. */
  folder: string;
  /** Makes the kernel stop all writes to it, as after an error of the device; only `repair` ends that. */
  makeReadOnly(): void;
  /** Checks it and mounts it again. Nothing may have a file of it open. */
  repair(): void;
  unmount(): void;
}

/** Creates and mounts a file system; returns `undefined` without the rights to do so. */
export function mountSmallDisk(folder: string, mebibytes: number): SmallDisk | undefined {
  const image = join(folder, '..', 'disk.img');
  writeFileSync(image, '');
  truncateSync(image, mebibytes * 2 ** 20);
  const mount = () => succeeds('mount', ['-o', 'loop,errors=remount-ro', image, folder]);
  if (!succeeds('mkfs.ext4', ['-q', '-m', '0', image]) || !mount()) return undefined;
  return {
    folder,
    makeReadOnly: () => expect(succeeds('mount', ['-o', 'remount,abort', folder]), 'made read-only'),
    repair() {
      expect(succeeds('umount', [folder]), 'unmounted');
      // Exits with 1 when it has corrected something.
      spawnSync('e2fsck', ['-f', '-y', image]);
      expect(mount(), 'mounted again');
    },
    unmount: () => void spawnSync('umount', ['-l', folder]),
  };
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

function expect(hasSucceeded: boolean, outcome: string): void {
  if (!hasSucceeded) throw new Error(`The small disk cannot be ${outcome}.`);
}
