// Runs the steps of docs/generated-clients.md with openapi-fetch and types that openapi-typescript created from
// /openapi.json.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Change = components['schemas']['Change'];

const { ISSUER = '', API = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;

const api = createClient<paths>({
  baseUrl: API,
  headers: { Authorization: `Bearer ${await fetchToken()}` },
});

const before = await readChanges();

const { data: ticket } = await api.POST('/tickets.json', {
  params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
  body: {
    subject: 'The printer is on fire',
    requester: { email: 'ada@example.com', name: 'Ada' },
    tags: ['generated', 'typescript'],
  },
});
if (!ticket) throw new Error('The ticket was not created.');

const { data: page } = await api.GET('/tickets.json', {
  params: { query: { 'tag[all]': ['generated', 'typescript'], limit: 100 } },
});

const path = { ticket_id: ticket.id };
const { data: edited } = await api.PUT('/ticket/{ticket_id}.json', {
  params: { path, header: { 'If-Match': ticket.etag } },
  body: { subject: 'The printer is out' },
});

const { error: problem, response } = await api.PUT('/ticket/{ticket_id}.json', {
  params: { path, header: { 'If-Match': ticket.etag } },
  body: { subject: 'The printer works' },
});
const current = problem && 'current' in problem ? problem.current : undefined;

const { changes } = await readChanges(before.position);

console.log(
  JSON.stringify({
    created: ticket.subject,
    listed: page?.tickets.some(({ id }) => id === ticket.id) ?? false,
    edited: edited?.version,
    conflict: { status: response.status, code: problem?.code, current: current?.version },
    changed: changes.find(({ id }) => id === ticket.id)?.ticket?.subject,
  }),
);

/** Reads the feed to its end. */
async function readChanges(since?: string): Promise<{ changes: Change[]; position: string }> {
  const changes: Change[] = [];
  for (let position = since; ; ) {
    const { data, error } = await api.GET('/changes.json', {
      params: { query: { ...(position !== undefined && { since: position }), limit: 100 } },
    });
    if (!data) throw new Error(error?.detail);
    changes.push(...data.changes);
    position = data.position;
    if (!data.has_more) return { changes, position };
  }
}

/** Requests a token with the client credentials grant (RFC 6749 §4.4). */
async function fetchToken(): Promise<string> {
  const answer = await fetch(`${ISSUER}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'tickets:read tickets:write' }),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
}
