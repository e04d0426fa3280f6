import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseOf, requireDatabaseFile, withStorageUrl } from './storage-url.ts';

it.each([
  ['mongodb://127.0.0.1', undefined],
  ['mongodb://127.0.0.1:27017/', undefined],
  ['mongodb://user:password@one:1,two:2/?replicaSet=rs', undefined],
  ['mongodb://user:password@one:1,two:2/help%20desk?replicaSet=rs', 'help desk'],
  ['mongodb+srv://cluster.example.com/helpdesk', 'helpdesk'],
])('%s names the database %s', (url, database) => {
  expect(databaseOf(url)).toBe(database);
});

describe('the database of a command', () => {
  const MONGODB_URL = 'mongodb://127.0.0.1';

  it.each([
    ['that of npm start', {}, 'sqlite:data/auth.db'],
    ['that of npm start in another folder', { DATA_DIR: '/srv/keydesk' }, 'sqlite:/srv/keydesk/auth.db'],
    ['that of npm start on MongoDB', { DATA_DIR: '/srv/keydesk', MONGODB_URL }, MONGODB_URL],
    ['the one that is set', { STORAGE_URL: 'sqlite:own.db', DATA_DIR: '/srv', MONGODB_URL }, 'sqlite:own.db'],
    [
      'that of npm start where what is set is empty',
      { STORAGE_URL: '', DATA_DIR: '', MONGODB_URL: '' },
      'sqlite:data/auth.db',
    ],
  ])('is %s', (_, env, url) => {
    expect(withStorageUrl(env, 'auth.db')).toEqual({ ...env, STORAGE_URL: url });
  });

  it('is the one that a file names, which is left to be read', () => {
    const env = { STORAGE_URL_FILE: '/run/secrets/storage-url', MONGODB_URL };
    expect(withStorageUrl(env, 'auth.db')).toEqual(env);
  });
});

describe('the file of a database', () => {
  it('is where the URL says', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keydesk-url-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'auth.db');
    writeFileSync(path, '');
    expect(requireDatabaseFile(`sqlite:${path}`)).toBe(path);
  });

  it.each([
    [
      'sqlite:/nowhere/auth.db',
      /no database at \/nowhere\/auth\.db .*: start the server once .* STORAGE_URL or DATA_DIR/,
    ],
    ['mongodb://ada:hunter2@127.0.0.1', /^The database is on MongoDB, which is copied by its own tools\.$/],
  ])('is refused in one sentence where there is none: %s', (url, message) => {
    expect(() => requireDatabaseFile(url)).toThrow(message);
  });
});
