import { readFileSync } from 'node:fs';
import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../tests/api.fixture.ts';
import { API_VERSION } from './version.ts';

const api = useStarted(startApi);

describe('API-Version', () => {
  test('is sent with every response, including errors, documents and probes', async () => {
    const paths = ['/tickets.json', '/tickets.xml?colour=red', '/nowhere', '/openapi.json', '/readyz'];
    for (const path of [...paths, '/.well-known/oauth-protected-resource']) {
      const { headers } = await api.request('GET', path);
      expect(headers.get('API-Version'), path).toBe(API_VERSION);
    }
    const { headers } = await api.request('GET', '/me.json', undefined, { Authorization: undefined });
    expect(headers.get('API-Version')).toBe(API_VERSION);
  });

  test('is readable by scripts of any origin', async () => {
    const { headers } = await api.request('GET', '/tickets.json', undefined, {
      Origin: 'https://app.example',
    });
    for (const name of ['API-Version', 'Deprecation', 'Sunset', 'Link'])
      expect(headers.get('Access-Control-Expose-Headers')?.split(', ')).toContain(name);
  });

  test.each(['/openapi.json', '/openapi-full.json'])('equals the version in %s', async (path) => {
    expect((await api.request('GET', path)).json).toMatchObject({ info: { version: API_VERSION } });
  });

  test('equals the newest version in the changelog', () => {
    const changelog = readFileSync(new URL('../../../../docs/changelog.md', import.meta.url), 'utf8');
    const [day, version] = [/^## (.*)/m, /^Version ([\d.]+)/m].map((pattern) => pattern.exec(changelog)?.[1]);
    expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(version).toBe(API_VERSION);
  });
});
