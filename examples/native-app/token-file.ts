import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Stores one refresh token in a file that only this user can read. A real app uses the key chain of its platform.
 */
export function openTokenFile(path: string) {
  return {
    read: (): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    write: (token: string): void => writeFileSync(path, token, { mode: 0o600 }),
    delete: (): void => rmSync(path, { force: true }),
  };
}
