import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requireDatabaseFile, toMongoDatabase, withStorageUrl } from './storage-url.ts';

it.each([
  ['mongodb://127.0.0.1', undefined],
  ['mongodb://127.0.0.1:27017/', undefined],
  ['mongodb://user:password@one:1,two:2/?replicaSet=rs', undefined],
  ['mongodb://user:password@one:1,two:2/help%20desk?replicaSet=rs', 'help desk'],
  ['mongodb+srv://cluster.example.com/helpdesk', 'helpdesk'],
])('%s names the database %s', (url, database) => {
  expect(toMongoDatabase(url)).toBe(database);
});

describe('the database of a command', () => {
  const MONGODB_URL = 'mongodb://127.0.0.1';

  it.each([
    ['the default of npm start', {}, 'sqlite:data/auth.db'],
    ['in DATA_DIR', { DATA_DIR: '/srv/keydesk' }, 'sqlite:/srv/keydesk/auth.db'],
    ['MONGODB_URL', { DATA_DIR: '/srv/keydesk', MONGODB_URL }, MONGODB_URL],
    ['STORAGE_URL', { STORAGE_URL: 'sqlite:own.db', DATA_DIR: '/srv', MONGODB_URL }, 'sqlite:own.db'],
    [
      'the default of npm start when the variables are empty',
      { STORAGE_URL: '', DATA_DIR: '', MONGODB_URL: '' },
      'sqlite:data/auth.db',
    ],
  ])('is %s', (_, env, url) => {
    expect(withStorageUrl(env, 'auth.db')).toEqual({ ...env, STORAGE_URL: url });
  });

  it('keeps STORAGE_URL_FILE for the configuration to read', () => {
    const env = { STORAGE_URL_FILE: '/run/secrets/storage-url', MONGODB_URL };
    expect(withStorageUrl(env, 'auth.db')).toEqual(env);
  });
});

describe('the file of a database', () => {
  it('is the path in the URL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keydesk-url-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'auth.db');
    writeFileSync(path, '');
    expect(requireDatabaseFile(`sqlite:${path}`)).toBe(path);
  });

  it.each([
    [
      'sqlite:/nowhere/auth.db',
      /No readable database at \/nowhere\/auth\.db; start the server once .* STORAGE_URL or DATA_DIR/,
    ],
    ['mongodb://ada:hunter2@127.0.0.1', /^The database is on MongoDB; back it up with MongoDB tools\.$/],
  ])('is reported as missing in one sentence: %s', (url, message) => {
    expect(() => requireDatabaseFile(url)).toThrow(message);
  });
});
