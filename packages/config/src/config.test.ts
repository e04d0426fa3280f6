import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, describeConfig, describeFailure, loadConfig, secret } from './index.ts';

const settings = {
  port: {
    env: 'PORT',
    schema: z.coerce.number('must be a port').int().default(3000).describe('Port to listen on'),
  },
  mode: { env: 'MODE', schema: z.enum(['fast', 'safe'], 'must be fast or safe').default('safe') },
  key: {
    env: 'KEY',
    schema: secret(z.string('is missing').min(8, 'is shorter than 8 characters')).describe('The key'),
  },
} as const;

function problemsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (err) {
    if (err instanceof ConfigError) return err.problems;
    throw err;
  }
  return [];
}

describe('loadConfig', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('reads text into typed values and fills in defaults', () => {
    expect(loadConfig(settings, { PORT: '8080', KEY: 'long enough' })).toEqual({
      port: 8080,
      mode: 'safe',
      key: 'long enough',
    });
  });

  it('treats an empty variable as unset', () => {
    expect(loadConfig(settings, { PORT: '', KEY: 'long enough' }).port).toBe(3000);
  });

  it('returns a frozen object', () => {
    expect(Object.isFrozen(loadConfig(settings, { KEY: 'long enough' }))).toBe(true);
  });

  it('reports every invalid variable and every further problem at once', () => {
    const refuse = (config: { mode?: string }) =>
      config.mode === 'fast' ? ['MODE: fast is not for production'] : [];
    expect(problemsOf(() => loadConfig(settings, { PORT: 'x', MODE: 'fast' }, refuse))).toEqual([
      'PORT: must be a port',
      'KEY: is missing',
      'MODE: fast is not for production',
    ]);
  });

  it('never repeats the value of a variable', () => {
    const env = { PORT: 'hunter2-port', MODE: 'hunter2-mode', KEY: 'hunter2' };
    expect(() => loadConfig(settings, env)).toThrow(ConfigError);
    expect(() => loadConfig(settings, env)).not.toThrow(/hunter2/);
  });

  it('reads a secret from the file at NAME_FILE and trims it', () => {
    const path = join(folder, 'key');
    writeFileSync(path, 'from the file\n');
    expect(loadConfig(settings, { KEY_FILE: path }).key).toBe('from the file');
  });

  it('validates a secret from a file like one from the environment', () => {
    const path = join(folder, 'key');
    writeFileSync(path, 'short');
    expect(problemsOf(() => loadConfig(settings, { KEY_FILE: path }))).toEqual([
      'KEY: is shorter than 8 characters',
    ]);
  });

  it('reports an unreadable file with its error code', () => {
    expect(problemsOf(() => loadConfig(settings, { KEY_FILE: join(folder, 'none') }))).toEqual([
      'KEY_FILE: the file cannot be read (ENOENT)',
    ]);
  });

  it('refuses a secret in both the environment and a file', () => {
    expect(problemsOf(() => loadConfig(settings, { KEY: 'long enough', KEY_FILE: '/x' }))).toEqual([
      'KEY_FILE: set either this or KEY, not both',
    ]);
  });

  it('reads files only for secrets', () => {
    expect(loadConfig(settings, { KEY: 'long enough', PORT_FILE: join(folder, 'none') }).port).toBe(3000);
  });
});

describe('describeConfig', () => {
  it('returns variables, defaults and descriptions, but no default of a secret', () => {
    const withDefault = { ...settings, salt: { env: 'SALT', schema: secret(z.string().default('pepper')) } };
    expect(describeConfig(withDefault)).toEqual([
      { env: 'PORT', default: '3000', description: 'Port to listen on' },
      { env: 'MODE', default: 'safe', description: '' },
      { env: 'KEY, KEY_FILE', default: '', description: 'The key' },
      { env: 'SALT, SALT_FILE', default: '', description: '' },
    ]);
  });
});

describe('describeFailure', () => {
  it.each([
    [new ConfigError(['PORT: must be a port', 'KEY: is missing']), 'PORT: must be a port; KEY: is missing'],
    [new Error('There is no database.'), 'There is no database.'],
    ['a thrown string', 'a thrown string'],
  ])('returns the problems or the message of %s', (err, reason) => {
    expect(describeFailure(err)).toBe(reason);
  });
});
