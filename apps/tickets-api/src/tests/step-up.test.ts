import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startApi, type TestApi } from './api.fixture.ts';

const scope = 'tickets:read tickets:write tickets:delete';
const strong = { acr: 'gold', amr: ['pwd', 'otp', 'mfa'] };
const weak = { acr: 'silver', amr: ['pwd'] };
const requirements = { STEP_UP_ACR_VALUES: 'gold platinum', STEP_UP_MAX_AGE_SECONDS: '900' };

const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

/** Returns the header of an administrator who has just been authenticated, unless claims override it. */
function asAdmin(api: TestApi, claims: Record<string, unknown> = {}) {
  const person = { sub: 'grace', email: 'grace@example.com', email_verified: true, role: 'admin' };
  const token = api.issuer.token({
    client_id: 'app-1',
    scope,
    auth_time: secondsAgo(0),
    ...person,
    ...claims,
  });
  return { Authorization: `Bearer ${token}` };
}

const sensitive: readonly [method: string, path: string, body?: unknown][] = [
  ['DELETE', '/ticket/ID.json?purge=true'],
  ['POST', '/ticket_statuses.json', { id: 'in_review', category: 'pending', title: 'In review' }],
  ['PUT', '/ticket_type/incident.json', { title: 'Incident' }],
  ['PATCH', '/ticket_priority/urgent.json', { title: 'Urgent' }],
  ['DELETE', '/ticket_status/in_review.json'],
  ['POST', '/ticket_fields.json', { key: 'floor', title: 'Floor', type: 'integer' }],
  ['PATCH', '/role/agent.json', { rights: {} }],
  ['POST', '/person/ID/merge.json', { person_id: 'ID' }],
  ['GET', '/events.json'],
  ['HEAD', '/events.json'],
  ['GET', '/events.xml'],
];

describe('the sensitive operations (RFC 9470 §3)', () => {
  const api = useStarted(() => startApi({ env: requirements }));

  it.each(sensitive)(
    '%s %s needs an accepted class and a recent authentication',
    async (method, path, body) => {
      const { id } = await api.addTicket();
      const target = path.replace('ID', id);
      const send = (claims: object) => api.request(method, target, body, asAdmin(api, { ...claims }));
      for (const claims of [weak, {}, { ...strong, auth_time: secondsAgo(1000) }]) {
        const refused = await send(claims);
        expect(refused.status).toBe(401);
        expect(refused.headers.get('WWW-Authenticate')).toMatch(
          /error="insufficient_user_authentication".*acr_values="gold platinum", max_age="900".*resource_metadata="/,
        );
      }
      expect((await send(strong)).status).not.toBe(401);
    },
  );

  it('are not carried out without it', async () => {
    const { id } = await api.addTicket();
    await api.request('DELETE', `/ticket/${id}.json?purge=true`, undefined, asAdmin(api, weak));
    expect((await api.request('GET', `/ticket/${id}.json`)).status).toBe(200);
    const purged = await api.request(
      'DELETE',
      `/ticket/${id}.json?purge=true`,
      undefined,
      asAdmin(api, strong),
    );
    expect(purged.status).toBe(200);
    expect((await api.request('GET', `/ticket/${id}.json`)).status).toBe(404);
  });

  it('explain the refusal in a problem document (RFC 9457)', async () => {
    const { json } = await api.request('GET', '/events.json', undefined, asAdmin(api, weak));
    expect(json).toMatchObject({
      status: 401,
      code: 'insufficient_user_authentication',
      detail: 'This request needs a stronger authentication of the user.',
    });
  });

  it('reject a token without the scope as before, because a stronger sign-in would not help', async () => {
    const headers = asAdmin(api, { ...weak, scope: 'tickets:read' });
    const { json } = await api.request('POST', '/ticket_types.json', {}, headers);
    expect(json.code).toBe('insufficient_scope');
  });

  it('allow machines by their role and scopes: there is no user to authenticate (RFC 9068 §2.2)', async () => {
    const machine = asAdmin(api, {
      sub: 'nightly-export',
      client_id: 'nightly-export',
      auth_time: undefined,
    });
    expect((await api.request('GET', '/events.json', undefined, machine)).status).toBe(200);
  });

  it.each([
    ['GET', '/tickets.json'],
    ['GET', '/ticket_statuses.json'],
    ['GET', '/roles.json'],
    ['DELETE', '/ticket/ID.json'],
    ['DELETE', '/ticket/ID.json?purge=false'],
  ])('do not include %s %s', async (method, path) => {
    const { id } = await api.addTicket();
    const answer = await api.request(method, path.replace('ID', id), undefined, asAdmin(api, weak));
    expect(answer.status).toBe(200);
  });

  it('are described in the OpenAPI documents', async () => {
    for (const path of ['/openapi.json', '/openapi-full.json']) {
      const { text } = await api.request('GET', path);
      expect(text).toContain(
        'With `purge=true`, a token of a user needs an authentication of the class `gold` or `platinum`, at most 900 seconds ago',
      );
    }
  });
});

describe('STEP_UP_OPERATIONS', () => {
  const codeOf = async (api: TestApi, method: string, path: string, headers = {}) => {
    const answer = await api.request(method, path, undefined, { ...asAdmin(api, weak), ...headers });
    return answer.status === 401 ? answer.json.code : answer.status;
  };
  const code = 'insufficient_user_authentication';

  it('selects operations by their ids, streams included', async () => {
    const env = { ...requirements, STEP_UP_OPERATIONS: 'deleteTicket, purge streamChanges' };
    const api = await startApi({ env });
    const { id } = await api.addTicket();
    expect(await codeOf(api, 'DELETE', `/ticket/${id}.json`)).toBe(code);
    expect(await codeOf(api, 'DELETE', `/ticket/${id}.json?purge=true`)).toBe(code);
    expect(await codeOf(api, 'GET', '/changes.json', { Accept: 'text/event-stream' })).toBe(code);
    expect(await codeOf(api, 'GET', '/changes.json')).toBe(200);
    expect(await codeOf(api, 'GET', '/events.json')).toBe(200);
    await api.stop();
  });

  it('selects no operation with none', async () => {
    const api = await startApi({ env: { ...requirements, STEP_UP_OPERATIONS: 'none' } });
    expect(await codeOf(api, 'GET', '/events.json')).toBe(200);
    await api.stop();
  });
});

describe('the default of what sensitive operations need', () => {
  it('is nothing outside production', async () => {
    const api = await startApi();
    const answer = await api.request(
      'GET',
      '/events.json',
      undefined,
      asAdmin(api, { auth_time: undefined }),
    );
    expect(answer.status).toBe(200);
    expect((await api.request('GET', '/openapi.json')).text).not.toContain('needs an authentication');
    await api.stop();
  });

  it('is a second factor within the last hour in production', async () => {
    const baseUrl = 'https://api.example';
    const env = { NODE_ENV: 'production', BASE_URL: baseUrl };
    const api = await startApi({ env });
    const statusOf = async (claims: Record<string, unknown>) => {
      const headers = asAdmin(api, { aud: baseUrl, ...claims });
      return (await api.request('GET', '/events.json', undefined, headers)).status;
    };
    const multiFactor = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';
    expect(await statusOf({ acr: multiFactor })).toBe(200);
    expect(await statusOf({ acr: 'phr' })).toBe(200);
    expect(await statusOf({ acr: multiFactor, auth_time: secondsAgo(3700) })).toBe(401);
    expect(await statusOf(weak)).toBe(401);
    await api.stop();
  });

  it('can be switched off in production', async () => {
    const baseUrl = 'https://api.example';
    const off = { STEP_UP_ACR_VALUES: 'none', STEP_UP_MAX_AGE_SECONDS: '0' };
    const api = await startApi({ env: { NODE_ENV: 'production', BASE_URL: baseUrl, ...off } });
    const headers = asAdmin(api, { aud: baseUrl, auth_time: undefined });
    expect((await api.request('GET', '/events.json', undefined, headers)).status).toBe(200);
    await api.stop();
  });
});
