import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { faultsOf, type Members, ticketIdOf, useDefinitionsWorld } from './definitions-world.fixture.ts';

function removal(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);

  async function addTickets(count: number, fields: Members): Promise<string[]> {
    const { agent, addTicket } = world();
    const paths: string[] = [];
    for (let i = 0; i < count; i++) paths.push(await addTicket(agent, fields));
    return paths;
  }

  test.each(['status', 'type', 'priority'] as const)(
    'of a %s in use returns 409 with the number of tickets',
    async (kind) => {
      const { admin, agent, define } = world();
      const { id, path } = await define(kind);
      const [first, ...others] = await addTickets(3, { [kind]: id });
      await agent('DELETE', String(first));
      for (const format of ['json', 'xml']) {
        const { status, text } = await admin('DELETE', path.replace('json', format));
        expect([status, text]).toEqual([409, expect.stringContaining('in_use')]);
        expect(text).toContain(`DELETE /ticket_${kind}/${id}?replace_with=`);
      }
      expect((await admin('DELETE', path)).json.tickets).toBe(3);
      const unused = { status: 'open', type: null, priority: 'low' }[kind];
      for (const each of others) await agent('PUT', each, { [kind]: unused });
      expect((await admin('DELETE', path)).json.tickets).toBe(1);
      await agent('POST', String(first).replace('.json', '/restore.json'));
      await agent('PUT', String(first), { [kind]: unused });
      expect((await admin('DELETE', path)).status).toBe(200);
      expect((await admin('GET', path)).status).toBe(404);
    },
  );

  test.each(['status', 'type', 'priority'] as const)(
    'replaces a %s on all tickets, each with an event',
    async (kind) => {
      const { admin, agent, customer, define, addTicket } = world();
      const [old, next] = [await define(kind), await define(kind)];
      const paths = await addTickets(4, { [kind]: old.id });
      const path = await addTicket(customer);
      await agent('PUT', path, { [kind]: old.id });
      const [deleted] = paths;
      await agent('DELETE', String(deleted));
      const { position } = (await agent('GET', '/changes.json?since=now')).json;
      const before = (await customer('GET', path)).headers.get('ETag');

      const removed = await admin('DELETE', `${old.path}?replace_with=${next.id}`);
      expect([removed.status, removed.json], removed.text).toMatchObject([
        200,
        { id: old.id, hidden: true, replaced_by: next.id },
      ]);
      expect((await agent('GET', old.path)).status).toBe(404);
      for (const each of [...paths.slice(1), path]) {
        const { json } = await agent('GET', each);
        expect(json[kind]).toBe(next.id);
        const history = await agent('GET', each.replace('.json', '/events.json?sort=-created_at'));
        const [event] = history.json.events as { changes: Members[]; actor: Members }[];
        expect(event?.changes).toEqual([{ field: kind, from: old.id, to: next.id }]);
        expect(event?.actor.name).toBe('root@example.com');
      }
      expect((await customer('GET', path)).headers.get('ETag')).not.toBe(before);
      const feed = await agent('GET', `/changes.json?since=${position}`);
      const seen = (feed.json.changes as { id: string }[]).map(({ id }) => id);
      expect(seen).toEqual(expect.arrayContaining([...paths.slice(1), path].map(ticketIdOf)));
      const restored = await agent('POST', String(deleted).replace('.json', '/restore.json'));
      expect(restored.json[kind]).toBe(next.id);
    },
  );

  test('requires a replacement that can be chosen, and for a status one of the same category', async () => {
    const { admin, define } = world();
    const [old, hidden] = [await define('status'), await define('status', { hidden: true })];
    const elsewhere = await define('status', { category: 'open' });
    for (const refused of [old.id, hidden.id, elsewhere.id, 'open', 'no_such']) {
      const answer = await admin('DELETE', `${old.path}?replace_with=${refused}`);
      expect([answer.status, faultsOf(answer)[0]]).toEqual([
        400,
        expect.stringMatching(/^replace_with must be one of .*pending/),
      ]);
    }
    const builtIn = await admin('DELETE', '/ticket_status/hold.json?replace_with=pending');
    expect([builtIn.status, builtIn.json.code]).toEqual([409, 'conflict']);
    expect((await admin('DELETE', old.path)).json.id).toBe(old.id);
  });

  test('replaces the removed status in the transitions of other statuses', async () => {
    const { admin, agent, define } = world();
    const [old, next] = [await define('status'), await define('status')];
    const naming = await define('status', { transitions: [old.id, 'open'] });
    const both = await define('status', { transitions: [next.id, old.id] });
    await admin('DELETE', `${old.path}?replace_with=${next.id}`);
    expect((await agent('GET', naming.path)).json.transitions).toEqual([next.id, 'open']);
    expect((await agent('GET', both.path)).json.transitions).toEqual([next.id]);
    await admin('DELETE', next.path);
    expect((await agent('GET', naming.path)).json.transitions).toEqual(['open']);
    expect((await agent('GET', both.path)).json.transitions).toEqual([]);
  });

  test('is replayed when the request is repeated with its key', async () => {
    const { admin, define } = world();
    const [old, next] = [await define('type'), await define('type')];
    await addTickets(2, { type: old.id });
    const remove = () =>
      admin('DELETE', `${old.path}?replace_with=${next.id}`, undefined, {
        'Idempotency-Key': 'replace-type',
      });
    const answers = [await remove(), await remove()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(answers[1]?.headers.get('Idempotency-Replayed')).toBe('true');
  });

  test('continues with the next request after an interruption; meanwhile nothing can choose the definition', async () => {
    const { admin, agent, adminElsewhere, storage, define, addTicket } = world();
    const [old, next, third] = [await define('type'), await define('type'), await define('type')];
    const paths = await addTickets(3, { type: old.id });
    const stored = await storage.definitions.find({ kind: 'type', id: old.id });
    if (!stored) throw new Error('There is no such type.');
    const marked = { ...stored, hidden: true, replaced_by: next.id, version: 2 };
    await storage.definitions.replace(marked, 1);

    expect((await agent('POST', '/tickets.json', { subject: 'x', type: old.id })).status).toBe(400);
    const unhidden = await admin('PATCH', old.path, { hidden: false });
    expect([unhidden.status, unhidden.json.code]).toEqual([409, 'conflict']);
    const other = await admin('DELETE', `${old.path}?replace_with=${third.id}`);
    expect([other.status, other.json.code]).toEqual([409, 'conflict']);
    const target = await admin('DELETE', next.path);
    expect([target.status, target.json.code]).toEqual([409, 'conflict']);
    await addTicket(agent, { type: next.id });
    expect((await adminElsewhere('DELETE', old.path)).json.replaced_by).toBe(next.id);
    for (const path of paths) expect((await agent('GET', path)).json.type).toBe(next.id);
    expect((await admin('GET', old.path)).status).toBe(404);
  });

  test('also covers tickets that any process writes at the same time', async () => {
    const { admin, agent, agentElsewhere, define, addTicket } = world();
    const [old, next] = [await define('status'), await define('status')];
    const paths = await addTickets(6, { status: old.id });
    // The cache of the other process expires first.
    await expect
      .poll(() => agentElsewhere('GET', `/tickets.json?status=${old.id}`).then(({ status }) => status))
      .toBe(200);
    const writers = [agent, agentElsewhere].flatMap((send, i) => [
      ...paths.map((path) => send('PATCH', path, { tags: [`writer_${i}`] })),
      ...Array.from({ length: 6 }, () => send('POST', '/tickets.json', { subject: 'x', status: old.id })),
      ...Array.from({ length: 3 }, async () => {
        const path = await addTicket(send);
        return send('PUT', path, { status: old.id });
      }),
    ]);
    const [removed, ...answers] = await Promise.all([
      admin('DELETE', `${old.path}?replace_with=${next.id}`),
      ...writers,
    ]);
    expect(removed?.status, removed?.text).toBe(200);
    // On a busy machine, the next request moves the remaining tickets.
    await expect
      .poll(() => admin('DELETE', `${old.path}?replace_with=${next.id}`).then(({ status }) => status), {
        timeout: 30_000,
      })
      .toBe(404);
    for (const { status, text } of answers) expect([200, 201, 400], text).toContain(status);
    const chosen = answers.filter(({ status, json }) => status < 300 && json.status !== undefined);
    const ids = new Set([...paths.map(ticketIdOf), ...chosen.map(({ json }) => String(json.id))]);
    for (const id of ids) {
      const { json } = await agent('GET', `/ticket/${id}.json`);
      expect(json).toMatchObject({ status: next.id, status_category: 'pending' });
    }
    expect((await admin('GET', old.path)).status).toBe(404);
  });
}

describe('the removal of a status, type or priority', () => {
  onEveryEngine(removal);
});
