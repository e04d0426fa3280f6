import { describe, expect, test } from 'vitest';
import { adding } from '../../helpdesk/commit/ticket-commit.fixture.ts';
import {
  statusCategories,
  categoryTransitions as transitions,
} from '../../helpdesk/definitions/definition.ts';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestApi } from '../../tests/api.fixture.ts';
import { useApi } from '../../tests/use-api.fixture.ts';
import { type Send, signIn } from '../people/people.fixture.ts';
import { newTicket } from './new-ticket.fixture.ts';

let api: TestApi;
let admin: Send;

function workflow(): void {
  test('is published', async () => {
    const { json } = await api.request('GET', '/ticket_statuses.json');
    expect(json.ticket_statuses).toMatchObject(
      statusCategories.map((id) => ({ id, category: id, transitions: null, can_become: transitions[id] })),
    );
    const { text } = await api.request('GET', '/ticket_statuses.xml');
    expect(text).toContain('<transitions nil="true"/><can_become/>');
  });

  const usual = 'transition_not_allowed';
  const codes = {
    new: usual,
    open: usual,
    pending: usual,
    hold: usual,
    solved: usual,
    closed: 'ticket_closed',
  };

  test('allows every published transition and rejects every other with the allowed ones', async () => {
    for (const from of statusCategories) {
      for (const to of statusCategories.filter((each) => each !== from)) {
        const { id } = await api.addTicket({ status: from });
        const { status, json } = await api.request('PUT', `/ticket/${id}.json`, { status: to });
        const isAllowed = transitions[from].includes(to);
        expect(status, `${from} → ${to}`).toBe(isAllowed ? 200 : 409);
        if (!isAllowed) expect(json).toMatchObject({ code: codes[from], allowed: transitions[from] });
      }
    }
  });

  test('records the times of solving and closing', async () => {
    const { id } = await api.addTicket();
    const solved = await api.request('PUT', `/ticket/${id}.json`, { status: 'solved' });
    expect(solved.json).toMatchObject({ solved_at: solved.json.updated_at, closed_at: null });
    const closed = await api.request('PUT', `/ticket/${id}.json`, { status: 'closed' });
    expect(closed.json).toMatchObject({
      solved_at: solved.json.solved_at,
      closed_at: closed.json.updated_at,
    });
  });
}

function closedTicket(): void {
  test('rejects changes and replies and explains how to follow it up', async () => {
    const { id } = await api.addTicket({ status: 'closed' });
    for (const [method, path, body] of [
      ['PUT', '', { subject: 'y' }],
      ['POST', '/replies', { body: 'y' }],
    ] as const) {
      const { status, json } = await api.request(method, `/ticket/${id}${path}.json`, body);
      expect(status).toBe(409);
      expect(json.code).toBe('ticket_closed');
      expect(json.detail).toContain(`"follow_up_of": "${id}"`);
    }
  });

  test('can be followed up by a new ticket; both link to each other and record it in their histories', async () => {
    const old = await api.addTicket({ status: 'closed' });
    const next = await api.addTicket({ follow_up_of: old.id });
    expect(next).toMatchObject({ follow_up_of: old.id, links: [{ type: 'related', ticket_id: old.id }] });
    const { json } = await api.request('GET', `/ticket/${old.id}.json`);
    expect(json).toMatchObject({ links: [{ type: 'related', ticket_id: next.id }], version: 2 });
    const history = await api.request('GET', `/ticket/${old.id}/events.json`);
    expect(history.text).toContain(`{"field":"links","from":[],"to":["related ${next.id}"]}`);
  });

  test('has a limited number of follow-ups', async () => {
    const links = Array.from({ length: 100 }, () => ({
      type: 'related' as const,
      ticket_id: crypto.randomUUID(),
    }));
    const old = newTicket({ status: 'closed', closed_at: '2026-03-01T12:00:00.000Z', links });
    await api.storage.tickets.commit([adding(old)]);
    const { status, json } = await api.request('POST', '/tickets.json', {
      subject: 'x',
      follow_up_of: old.id,
    });
    expect([status, json.code]).toEqual([409, 'conflict']);
    expect((await api.request('GET', `/ticket/${old.id}.json`)).json.version).toBe(1);
  });

  test('is the only kind that can be followed up, and only by viewers who see it', async () => {
    const open = await api.addTicket();
    const foreign = await api.addTicket({ status: 'closed' });
    const ada = signIn(api, 'customer', 'ada@example.com');
    for (const [send, follow_up_of] of [
      [admin, open.id],
      [ada, foreign.id],
    ] as const) {
      const { status, json } = await send('POST', '/tickets.json', { subject: 'x', follow_up_of });
      expect(status).toBe(400);
      expect(json.errors).toMatchObject([{ field: 'follow_up_of' }]);
    }
  });
}

function deletedTicket(): void {
  test('appears only in the list of deleted tickets, and returns when it is restored', async () => {
    const { id } = await api.addTicket();
    await api.request('DELETE', `/ticket/${id}.json`);
    for (const path of ['', '/replies', '/events'])
      expect((await admin('GET', `/ticket/${id}${path}.json`)).status).toBe(404);
    expect((await api.request('GET', '/tickets.json')).text).not.toContain(id);
    expect((await api.request('GET', '/tickets.json?deleted=true')).text).toContain(id);
    const key = { 'Idempotency-Key': `restore-${id}` };
    const restored = await api.request('POST', `/ticket/${id}/restore.json`, undefined, key);
    expect(restored.json).toMatchObject({ id, deleted_at: null, version: 3 });
    const again = await api.request('POST', `/ticket/${id}/restore.json`, undefined, key);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(again.text).toBe(restored.text);
    const { json } = await api.request('GET', `/ticket/${id}/events.json`);
    expect((json.events as { type: string }[]).map(({ type }) => type)).toEqual([
      'ticket.created',
      'ticket.deleted',
      'ticket.restored',
    ]);
  });

  test('can be purged only by administrators, deleted or not', async () => {
    for (const isDeleted of [true, false]) {
      const { id } = await api.addTicket();
      await api.request('POST', `/ticket/${id}/replies.json`, { body: 'x' });
      if (isDeleted) await api.request('DELETE', `/ticket/${id}.json`);
      expect((await api.request('DELETE', `/ticket/${id}.json?purge=true`)).status).toBe(403);
      expect((await admin('DELETE', `/ticket/${id}.json?purge=true`)).json.id).toBe(id);
      expect((await api.request('POST', `/ticket/${id}/restore.json`)).status).toBe(404);
    }
  });
}

onEveryEngine((createDatabase) => {
  useApi(createDatabase, (started) => {
    api = started;
    admin = signIn(api, 'admin', 'root@example.com');
  });
  describe('the workflow', workflow);
  describe('a closed ticket', closedTicket);
  describe('a deleted ticket', deletedTicket);
});
