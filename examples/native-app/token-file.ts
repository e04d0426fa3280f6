import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Keeps one refresh token in a file that only this user can read. A real app uses the key chain of its platform
 * instead.
 */
export function openTokenFile(path: string) {
  return {
    read: (): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    write: (token: string): void => writeFileSync(path, token, { mode: 0o600 }),
    forget: (): void => rmSync(path, { force: true }),
  };
}
