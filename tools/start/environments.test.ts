import { loadConfig } from '@keydesk/config';
import { describe, expect, it } from 'vitest';
import { toEnvironments } from './environments.ts';
import { settings } from './settings.ts';

function environmentsOf(env: Readonly<Record<string, string>>) {
  return toEnvironments(loadConfig(settings, env), { folder: '/data', env });
}

describe('the environments of npm start', () => {
  it('contain the URLs of both apps and a SQLite database for each', () => {
    const { auth, tickets } = environmentsOf({});
    const issuer = 'http://127.0.0.1:3000';
    const api = 'http://127.0.0.1:3001';
    expect(auth).toMatchObject({ ISSUER: issuer, API_AUDIENCE: api, STORAGE_URL: 'sqlite:/data/auth.db' });
    expect(tickets).toMatchObject({ ISSUER: issuer, BASE_URL: api, STORAGE_URL: 'sqlite:/data/tickets.db' });
  });

  it('contain the API URL without a trailing slash', () => {
    const { api, auth, tickets } = environmentsOf({ BASE_URL: 'https://example.com/helpdesk/' });
    const urls = [api, auth.API_AUDIENCE, tickets.BASE_URL];
    expect(urls).toEqual(Array(3).fill('https://example.com/helpdesk'));
  });

  it('set the mail folder below the data folder by default', () => {
    expect(environmentsOf({}).auth.MAIL_FOLDER).toBe('/data/mail');
    expect(environmentsOf({ MAIL_FOLDER: '/mails' }).auth.MAIL_FOLDER).toBe('/mails');
  });

  it('use MongoDB for both with MONGODB_URL, which must not name a database', () => {
    const MONGODB_URL = 'mongodb://db.example:27017/?replicaSet=rs0';
    const { auth, tickets } = environmentsOf({ MONGODB_URL });
    expect([auth.STORAGE_URL, tickets.STORAGE_URL]).toEqual([MONGODB_URL, MONGODB_URL]);
    expect(() => environmentsOf({ MONGODB_URL: 'mongodb://db.example/shared' })).toThrow(
      'must not name a database',
    );
  });

  it.each([
    ['0.0.0.0', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['192.0.2.7', 'http://192.0.2.7:3000'],
  ])('contain a reachable URL for a server that listens on %s', (HOST, issuer) => {
    expect(environmentsOf({ HOST }).issuer).toBe(issuer);
  });
});
