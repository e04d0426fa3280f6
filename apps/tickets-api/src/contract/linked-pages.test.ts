import { readFileSync } from 'node:fs';
import { catalogue } from '@keydesk/server';
import { useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from '../tests/api.fixture.ts';
import { toProblemTypeBase } from '../wire/output/problem.ts';

const BASE_URL = 'http://api.example/helpdesk';
const api = useStarted(() => startApi({ env: { BASE_URL } }));

/** Whether a URL of this API returns a page that has the section named by the fragment, without a token. */
async function hasSection(text: string): Promise<boolean> {
  const { origin, pathname, hash } = new URL(text);
  expect(origin).toBe(new URL(BASE_URL).origin);
  const page = await api.request('GET', pathname, undefined, { Authorization: undefined });
  return page.status === 200 && page.text.includes(` id="${hash.slice(1)}"`);
}

describe('pages that responses link to', () => {
  test.each(Object.keys(catalogue))('the problem type %s has a section (RFC 9457 §3.1.1)', async (code) => {
    expect(await hasSection(toProblemTypeBase(BASE_URL) + code)).toBe(true);
  });

  test('the type of a problem links to its section', async () => {
    const { json } = await api.request('GET', '/helpdesk/nowhere.json');
    expect(json.type).toBe(`${BASE_URL}/docs/errors#not_found`);
    expect(await hasSection(String(json.type))).toBe(true);
  });

  test('each date of the changelog has a section, which deprecations link to (RFC 9745 §3)', async () => {
    const changelog = readFileSync(new URL('../../../../docs/changelog.md', import.meta.url), 'utf8');
    const days = [...changelog.matchAll(/^## (.*)$/gm)].map(([, day]) => day);
    expect(days).not.toHaveLength(0);
    for (const day of days) expect(await hasSection(`${BASE_URL}/docs/changelog#${day}`)).toBe(true);
  });

  test.each(['versioning', 'status-codes'])('/docs/%s is served', async (page) => {
    expect((await api.request('GET', `/helpdesk/docs/${page}`)).status).toBe(200);
  });
});
