import { createDpopKey, startTestIssuer, useStarted } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import { startApi } from './api.fixture.ts';

const BASE = 'https://example.com/api/helpdesk';
const PATH = '/api/helpdesk';
const METADATA = '/.well-known/oauth-protected-resource/api/helpdesk';

const issuer = useStarted(() => startTestIssuer({ audience: BASE }));
const anonymous = { Authorization: undefined };

describe.each([BASE, `${BASE}/`])('with BASE_URL=%s', (BASE_URL) => {
  const api = useStarted(() => startApi({ issuer, env: { BASE_URL } }));

  test('serves every route below the path of the URL, and nothing elsewhere', async () => {
    expect((await api.request('GET', `${PATH}/tickets.json`)).status).toBe(200);
    expect((await api.request('OPTIONS', `${PATH}/tickets.xml`)).headers.get('Allow')).toContain('POST');
    for (const path of ['/tickets.json', '/openapi.json', '/docs', '/', '/api/helpdesk2/tickets.json']) {
      const { status, json } = await api.request('GET', path);
      expect([status, json.code]).toEqual([404, 'not_found']);
      expect(json.detail).toContain(`The base URL of this API is ${BASE};`);
    }
  });

  test.each([PATH, `${PATH}/`, `${PATH}?q=1`, `${PATH}/ticket.json`])(
    'an unknown path below it gets 404 that names the main endpoints: %s',
    async (path) => {
      const { status, json } = await api.request('GET', path);
      expect(status).toBe(404);
      expect(json.detail).toContain(`${PATH}/tickets.json`);
      expect(json.detail).toContain(`${PATH}/docs`);
    },
  );

  test('Location, Link and resource_url begin with the URL and can be requested', async () => {
    const id = crypto.randomUUID();
    const made = await api.request('POST', `${PATH}/tickets.json`, { id, subject: 'The printer' });
    await api.request('POST', `${PATH}/tickets.json`, { subject: 'The other printer' });
    expect(made.headers.get('Location')).toBe(`${BASE}/ticket/${id}.json`);
    expect((await api.request('GET', `${PATH}/ticket/${id}.json`)).json).toMatchObject({ id });
    const reply = await api.request('POST', `${PATH}/ticket/${id}/replies.xml`, { body: 'Water.' });
    expect(reply.headers.get('Location')).toMatch(`${BASE}/ticket/${id}/reply/`);
    const taken = await api.request('POST', `${PATH}/tickets.json`, { id, subject: 'Another' });
    expect(taken.json.resource_url).toBe(`${BASE}/ticket/${id}.json`);
    const { headers } = await api.request('GET', `${PATH}/tickets?limit=1&sort=created_at`);
    const next = /^<(.*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1] ?? '';
    expect(next).toMatch(`${BASE}/tickets?limit=1&sort=created_at&cursor=`);
    const second = await api.request('GET', next.replace('https://example.com', ''));
    expect(second.json.tickets).toHaveLength(1);
  });

  test.each(['json', 'xml'])('the type of a problem in %s is a URL below it', async (format) => {
    const { text } = await api.request('GET', `${PATH}/ticket/none.${format}`);
    expect(text).toContain(`${BASE}/docs/errors#not_found`);
  });

  test('the contract has the URL as its server', async () => {
    const { json } = await api.request('GET', `${PATH}/openapi.json`, undefined, anonymous);
    expect(json).toMatchObject({ servers: [{ url: BASE }], externalDocs: { url: `${BASE}/docs` } });
  });

  test('the metadata path is inserted between host and path, and every 401 links to it (RFC 9728 §3.1, §5.1)', async () => {
    const { status, json } = await api.request('GET', METADATA, undefined, anonymous);
    expect(status).toBe(200);
    expect(json).toMatchObject({ resource: BASE, resource_documentation: `${BASE}/docs` });
    const refused = await api.request('GET', `${PATH}/me.json`, undefined, anonymous);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('WWW-Authenticate')).toContain(
      `resource_metadata="https://example.com${METADATA}"`,
    );
  });

  test.each(['/healthz', '/readyz'])('%s responds at the root and below the path', async (probe) => {
    for (const path of [probe, `${PATH}${probe}`])
      expect((await api.request('GET', path, undefined, anonymous)).status).toBe(200);
  });

  test('accepts the audience with or without a trailing slash, and no other', async () => {
    const statusFor = (aud: unknown) =>
      api.request('GET', `${PATH}/tickets.json`, undefined, {
        Authorization: `Bearer ${issuer.token({ role: 'agent', aud })}`,
      });
    for (const aud of [BASE, `${BASE}/`, ['https://other.example', `${BASE}/`]])
      expect((await statusFor(aud)).status).toBe(200);
    for (const aud of [`${BASE}//`, 'https://example.com', 'https://example.com/', `${BASE}/tickets`])
      expect((await statusFor(aud)).status).toBe(401);
  });

  test('proofs must have the URL with its path (RFC 9449 §4.2)', async () => {
    const key = createDpopKey();
    const token = issuer.token({ role: 'agent', cnf: { jkt: key.thumbprint } });
    const send = (url: string) =>
      api.request('GET', `${PATH}/tickets.json`, undefined, {
        Authorization: `DPoP ${token}`,
        DPoP: key.proof({ url, token }),
      });
    expect((await send(`${BASE}/tickets.json`)).status).toBe(200);
    expect((await send('https://example.com/tickets.json')).status).toBe(401);
  });

  test('the stream of changes is served below the path', async () => {
    const { status, headers } = await api.request('HEAD', `${PATH}/changes`, undefined, {
      Accept: 'text/event-stream',
    });
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  test('the log has the path as it was sent', async () => {
    await api.request('GET', `${PATH}/tag-that-is-logged.json`);
    await expect.poll(() => api.log.join('')).toContain(`"path":"${PATH}/tag-that-is-logged.json"`);
  });
});
