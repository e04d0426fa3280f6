import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDevelopmentSecret, isDevelopmentSecret, masterSecretSchema } from './master-secret.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'master-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('creates a recognizable development secret that is valid and readable only by its owner', () => {
  const path = join(newFolder(), 'new', 'master-secret');
  createDevelopmentSecret(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const secret = masterSecretSchema.parse(readFileSync(path, 'utf8').trim());
  expect(isDevelopmentSecret(secret)).toBe(true);
});

it('keeps an existing secret and never creates the same one twice', () => {
  const [path, other] = [join(newFolder(), 'a'), join(newFolder(), 'b')];
  createDevelopmentSecret(path);
  const secret = readFileSync(path, 'utf8');
  createDevelopmentSecret(path);
  createDevelopmentSecret(other);
  expect(readFileSync(path, 'utf8')).toBe(secret);
  expect(readFileSync(other, 'utf8')).not.toBe(secret);
});

it.each([
  ['missing', undefined],
  ['31 bytes in base64url', 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCd'],
  ['20 bytes in hexadecimal', '0123456789abcdef0123456789abcdef01234567'],
  ['a single repeated character', 'a'.repeat(100)],
])('rejects a master secret that is %s', (_, secret) => {
  expect(masterSecretSchema.safeParse(secret).success).toBe(false);
});

it.each([
  ['base64url', 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE'],
  ['hexadecimal', '0123456789abcdef'.repeat(4)],
  ['a long sentence', 'the quick brown fox jumps over the lazy dog and sleeps'],
])('accepts a master secret in %s', (_, secret) => {
  expect(isDevelopmentSecret(masterSecretSchema.parse(secret))).toBe(false);
});
