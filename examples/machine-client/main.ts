import { randomUUID } from 'node:crypto';
import * as oauth from 'openid-client';
import { findRegistration } from '../registration.ts';

// A monitoring program that opens a ticket when a backup fails: the client credentials grant (RFC 6749 §4.4).
const { issuer, api, clientId, clientSecret } = findRegistration('machine-client');

const config = await oauth.discovery(issuer, clientId, clientSecret, undefined, {
  // For local use only: in production the issuer uses https.
  execute: issuer.protocol === 'http:' ? [oauth.allowInsecureRequests] : [],
});
const { access_token } = await oauth.clientCredentialsGrant(config, { scope: 'tickets:read tickets:write' });

const created = await oauth.fetchProtectedResource(
  config,
  access_token,
  new URL('/tickets.json', api),
  'POST',
  JSON.stringify({
    subject: 'The backup did not run',
    priority: 'high',
    requester: { email: 'ops@example.com', name: 'Operations' },
  }),
  // With a unique key the request can be retried when its response is lost, and still creates one ticket.
  new Headers({ 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }),
);
const ticket = (await created.json()) as { id: string; subject: string };
console.log(`Opened ticket ${ticket.id}: ${ticket.subject}`);

const listed = await oauth.fetchProtectedResource(
  config,
  access_token,
  new URL('/tickets.json?status=new&limit=5', api),
  'GET',
);
const { tickets } = (await listed.json()) as { tickets: { subject: string; created_at: string }[] };
for (const { created_at, subject } of tickets) console.log(`${created_at}  ${subject}`);
