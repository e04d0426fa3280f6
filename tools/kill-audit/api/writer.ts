import { randomUUID } from 'node:crypto';
import type { Ledger, LedgerEntry } from './ledger.ts';

export interface WriterDeps {
  url: string;
  /** Access token of an administrator. */
  token: string;
  ledger: Ledger;
}

type Answer = Record<string, unknown> & { id: string; version: number };

/** A request was not answered because the API was killed. */
class Unanswered extends Error {}

/** Writes on one connection until the API is killed or `isOver` returns true. */
export async function write(deps: WriterDeps, isOver: () => boolean): Promise<void> {
  try {
    while (!isOver()) await writeTicket(deps, isOver);
  } catch (err) {
    if (!(err instanceof Unanswered)) throw err;
  }
}

/** Retries unanswered creations with the same Idempotency-Key. */
export async function repeatCreations(deps: WriterDeps): Promise<void> {
  for (const entry of deps.ledger.entries) if (entry.id === undefined) await create(deps, entry);
}

/** Creates a ticket with replies and edits, and sometimes deletes it. */
async function writeTicket(deps: WriterDeps, isOver: () => boolean): Promise<void> {
  const externalId = randomUUID();
  const entry = deps.ledger.open(externalId, `Ticket ${externalId}`);
  await create(deps, entry);
  const steps = [
    addReply,
    edit,
    addReply,
    editReply,
    removeReply,
    addReply,
    ...(Math.random() < 0.4 ? [remove] : []),
  ];
  for (const step of steps) {
    if (isOver()) return;
    await step(deps, entry);
  }
}

async function create(deps: WriterDeps, entry: LedgerEntry): Promise<void> {
  const { externalId, subject } = entry;
  const body = {
    subject,
    external_id: externalId,
    requester: { email: 'customer@example.com' },
    tags: ['audited'],
  };
  const headers = { 'Idempotency-Key': externalId };
  const { id } = await send(deps, entry, {
    method: 'POST',
    path: '/tickets.json',
    body,
    headers,
    what: 'tickets',
  });
  Object.assign(entry, { id, version: 1 });
}

async function addReply(deps: WriterDeps, entry: LedgerEntry): Promise<void> {
  const visibility = Math.random() < 0.5 ? 'public' : 'internal';
  const body = { body: `Reply ${randomUUID()}`, visibility };
  const reply = await send(deps, entry, {
    method: 'POST',
    path: `/ticket/${entry.id}/replies.json`,
    body,
    what: 'replies',
  });
  entry.replies.set(reply.id, body.body);
  entry.version += 1;
}

async function edit(deps: WriterDeps, entry: LedgerEntry): Promise<void> {
  const subject = `${entry.subject}, edited`;
  const ticket = await send(deps, entry, {
    method: 'PUT',
    path: `/ticket/${entry.id}.json`,
    body: { subject },
    what: 'edits',
  });
  Object.assign(entry, { subject, version: ticket.version });
}

async function editReply(deps: WriterDeps, entry: LedgerEntry): Promise<void> {
  const [replyId] = entry.replies.keys();
  const body = `Edited ${randomUUID()}`;
  const path = `/ticket/${entry.id}/reply/${replyId}.json`;
  await send(deps, entry, { method: 'PUT', path, body: { body }, what: 'edited replies' });
  entry.replies.set(String(replyId), body);
  entry.version += 1;
}

async function removeReply(deps: WriterDeps, entry: LedgerEntry): Promise<void> {
  const [replyId] = entry.replies.keys();
  const path = `/ticket/${entry.id}/reply/${replyId}.json`;
  await send(deps, entry, { method: 'DELETE', path, what: 'removed replies' });
  entry.replies.delete(String(replyId));
  entry.version += 1;
}

async function remove(deps: WriterDeps, entry: LedgerEntry): Promise<void> {
  await send(deps, entry, { method: 'DELETE', path: `/ticket/${entry.id}.json`, what: 'deletions' });
  entry.isDeleted = true;
  entry.version += 1;
}

interface Sent {
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
  what: string;
}

/** Sends a request. @throws {Unanswered} when the API was killed or the result is unknown */
async function send(
  { url, token, ledger }: WriterDeps,
  entry: LedgerEntry,
  { method, path, body, headers, what }: Sent,
): Promise<Answer> {
  entry.isInFlight = true;
  const { status, text } = await request(url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: body ? JSON.stringify(body) : null,
  });
  if (status >= 500) throw new Unanswered(text);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  entry.isInFlight = false;
  ledger.acknowledge(what);
  return JSON.parse(text) as Answer;
}

async function request(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch (err) {
    throw new Unanswered('The connection broke.', { cause: err });
  }
}
