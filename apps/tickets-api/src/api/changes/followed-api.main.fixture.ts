import type { TestIssuer } from '@keydesk/testing';
import { startApi } from '../../tests/api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';

/**
 * Runs an API on the given storage, makes every kind of change to a customer's tickets and some internal ones, and
 * exits. Started by `runWriter`.
 */
const [storageUrl = '', customerEmail = '', times = '', sharedIssuer = ''] = process.argv.slice(2);
const { issuer, jwksUrl, tokens } = JSON.parse(sharedIssuer);
const token = ({ role }: { role: string }) => tokens[role];
const api = await startApi({ storageUrl, issuer: { issuer, jwksUrl, token } as TestIssuer });
const agent = signIn(api, 'agent', 'grace@example.com');
const admin = signIn(api, 'admin', 'root@example.com');
const customer = signIn(api, 'customer', customerEmail);

async function send(by: Send, method: string, path: string, body?: unknown): Promise<string> {
  const { status, text, json } = await by(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return String(json.id);
}

/** Final changes of a ticket that the customer sees and that has replies. */
const finalChanges: readonly ((ticket: string) => Promise<unknown>)[] = [
  (ticket) => send(agent, 'DELETE', ticket),
  (ticket) => send(admin, 'DELETE', `${ticket}?purge=true`),
  (ticket) => send(agent, 'PUT', ticket, { cc: [], requester: { email: 'another@example.com' } }),
  async (ticket) => {
    await send(agent, 'DELETE', ticket);
    await send(agent, 'POST', ticket.replace('.json', '/restore.json'));
  },
  (ticket) => send(agent, 'PUT', ticket, { tags: ['vip'], subject: 'changed' }),
];

for (let i = 0; i < Number(times); i++) {
  const isOwn = i % 2 === 0;
  const people = isOwn ? {} : { cc: [{ email: customerEmail }], requester: { email: 'another@example.com' } };
  const id = await send(isOwn ? customer : agent, 'POST', '/tickets.json', { subject: 'x', ...people });
  const replies = `/ticket/${id}/replies.json`;
  await send(customer, 'POST', replies, { body: 'hello' });
  const removed = await send(agent, 'POST', replies, { body: 'removed later' });
  await send(agent, 'POST', replies, { body: 'a note', visibility: 'internal' });
  await send(admin, 'DELETE', `/ticket/${id}/reply/${removed}.json`);
  await finalChanges[i % finalChanges.length]?.(`/ticket/${id}.json`);
  await send(agent, 'POST', '/tickets.json', { subject: 'of another customer' });
}
await api.stop();
