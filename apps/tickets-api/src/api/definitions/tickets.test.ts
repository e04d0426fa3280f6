import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { faultsOf, type Members, ticketIdOf, useDefinitionsWorld } from './definitions-world.fixture.ts';

const asXml = { 'Content-Type': 'application/xml' };
const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' };

function choosing(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);

  /** Adds definitions of each kind, and a ticket that has them. */
  async function defineAll() {
    const { agent, define, addTicket } = world();
    const [status, type, priority] = [
      await define('status', { category: 'hold' }),
      await define('type'),
      await define('priority', { rank: 45 }),
    ];
    const fields = { status: status.id, type: type.id, priority: priority.id };
    return { status, type, priority, fields, path: await addTicket(agent, fields) };
  }

  test('has the added status, type and priority, and the category of its status', async () => {
    const { agent } = world();
    const { path, fields } = await defineAll();
    const expected = { ...fields, status_category: 'hold' };
    expect((await agent('GET', path)).json).toMatchObject(expected);
    const { text } = await agent('GET', path.replace('.json', '.xml'));
    expect(text).toContain(`<status>${fields.status}</status>`);
    expect(text).toContain('<status_category>hold</status_category>');
    const { json } = await agent('GET', `${path}?fields=status_category`);
    expect(Object.keys(json)).toEqual(['id', 'status_category']);
  });

  test('is written with them as JSON, XML, a form, a patch, and a reply', async () => {
    const { agent, addTicket } = world();
    const { fields } = await defineAll();
    const { status, type, priority } = fields;
    const xml = `<ticket><status>${status}</status><type>${type}</type><priority>${priority}</priority></ticket>`;
    const form = new URLSearchParams({ status, type, priority }).toString();
    for (const [method, body, headers] of [
      ['PUT', fields, {}],
      ['PUT', xml, asXml],
      ['PUT', form, asForm],
      ['PATCH', fields, {}],
    ] as const) {
      const path = await addTicket(agent);
      expect((await agent(method, path, body, headers)).json).toMatchObject({
        ...fields,
        status_category: 'hold',
      });
    }
    const path = await addTicket(agent);
    const replies = path.replace('.json', '/replies.json');
    expect((await agent('POST', replies, { body: 'Wait.', status })).status).toBe(201);
    expect((await agent('GET', path)).json.status).toBe(status);
  });

  test('rejects undefined ids, and lists the ids to use', async () => {
    const { agent, addTicket } = world();
    const path = await addTicket(agent);
    const unknown = { status: 'no_such', type: 'none', priority: 'no' };
    for (const [method, target] of [
      ['POST', '/tickets.json'],
      ['PUT', path],
      ['PATCH', path],
    ] as const) {
      const answer = await agent(method, target, { subject: 'x', ...unknown });
      expect([answer.status, answer.json.code]).toEqual([400, 'validation_failed']);
      const [status, type, priority] = faultsOf(answer);
      expect(status).toMatch(/^status must be one of new, .*open, .*closed/);
      expect(type).toMatch(/^type must be one of question, .*incident/);
      expect(priority).toMatch(/^priority must be one of low, .*normal/);
    }
    const reply = { body: 'x', status: 'no_such' };
    const replied = await agent('POST', path.replace('.json', '/replies.json'), reply);
    expect([replied.status, faultsOf(replied)[0]]).toEqual([
      400,
      expect.stringMatching(/^status must be one of/),
    ]);
    for (const status_category of ['hold', 'no_such']) {
      expect((await agent('PUT', path, { status_category })).status).toBe(400);
    }
  });

  test('keeps hidden definitions in every format, and is found by them', async () => {
    const { admin, agent, addTicket, idsOf } = world();
    const { status, type, priority, fields, path } = await defineAll();
    for (const each of [status, type, priority]) {
      expect((await admin('PATCH', each.path, { hidden: true, title: 'Old' })).status).toBe(200);
    }
    const { json: whole } = await agent('GET', path);
    const { text: xml } = await agent('GET', path.replace('.json', '.xml'));
    const form = new URLSearchParams(fields).toString();
    for (const [body, headers] of [
      [whole, {}],
      [xml, asXml],
      [form, asForm],
      [fields, {}],
    ] as const) {
      const sent = await agent('PUT', path, body, headers);
      expect([sent.status, sent.headers.get('Keydesk-Changed')], sent.text).toEqual([200, 'false']);
    }
    const edited = await agent('PUT', path, { ...fields, subject: 'Edited' });
    expect(edited.json).toMatchObject({ ...fields, subject: 'Edited' });
    const replied = await agent('POST', path.replace('.json', '/replies.json'), {
      body: 'x',
      status: status.id,
    });
    expect(replied.status, replied.text).toBe(201);
    for (const [kind, id] of Object.entries(fields)) {
      expect(await idsOf(agent, `${kind}=${id}`)).toEqual([ticketIdOf(path)]);
      const refused = await agent('PUT', await addTicket(agent), { [kind]: id });
      expect(faultsOf(refused)).toEqual([
        expect.stringMatching(`^${kind} must be one of .*; ${id} is hidden and can no longer be chosen$`),
      ]);
      expect(faultsOf(refused)[0]).not.toMatch(new RegExp(`of (.*, )?${id}[,;]`));
    }
  });

  test('is found, sorted and counted by status and by category', async () => {
    const { agent, admin, define, addTicket, idsOf } = world();
    const tags = ['sorted_and_counted'];
    const within = `tag=${tags}`;
    const one = await define('status', { category: 'pending', position: 5 });
    const other = await define('status', { category: 'pending', position: 2 });
    const ids: Record<string, string> = {};
    for (const status of ['solved', one.id, 'new', other.id, 'pending']) {
      ids[status] = ticketIdOf(await addTicket(agent, { tags, status }));
    }
    const inOrder = ['new', 'pending', other.id, one.id, 'solved'].map((status) => ids[status]);
    expect(await idsOf(agent, `${within}&sort=status`)).toEqual(inOrder);
    expect(await idsOf(agent, `${within}&sort=-status`)).toEqual(inOrder.toReversed());
    const pending = inOrder.slice(1, 4);
    expect(await idsOf(agent, `${within}&sort=status&status_category=pending`)).toEqual(pending);
    expect(await idsOf(agent, `${within}&sort=status&status_category[not]=new,solved`)).toEqual(pending);
    expect(await idsOf(agent, `${within}&sort=status&status[not]=new,pending,${one.id}`)).toEqual([
      ids[other.id],
      ids.solved,
    ]);
    const both = `${within}&status_category=pending,new&status[not]=${one.id},new&sort=status`;
    expect(await idsOf(agent, both)).toEqual([ids.pending, ids[other.id]]);
    expect(await idsOf(agent, `${within}&status_category=hold&status=new`)).toEqual([]);

    const page = await agent('GET', `/tickets.json?${within}&sort=status&limit=2`);
    const next = `${within}&sort=status&cursor=${page.json.next_cursor}`;
    expect(await idsOf(agent, next)).toEqual(inOrder.slice(2));

    await admin('PATCH', one.path, { position: 1 });
    const moved = ['new', 'pending', one.id, other.id, 'solved'].map((status) => ids[status]);
    expect(await idsOf(agent, `${within}&sort=status`)).toEqual(moved);

    const counts = await agent('GET', `/ticket_counts.json?${within}&by=status_category,status`);
    const counted = (counts.json.ticket_counts as Members[]).filter(({ count }) => count !== 0);
    expect(counted.map(({ by, value, count }) => [by, value, count])).toEqual([
      ['status_category', 'new', 1],
      ['status_category', 'pending', 3],
      ['status_category', 'solved', 1],
      ['status', 'new', 1],
      ['status', 'pending', 1],
      ['status', one.id, 1],
      ['status', other.id, 1],
      ['status', 'solved', 1],
    ]);
  });

  test('is sorted by the current rank of its priority', async () => {
    const { agent, admin, define, addTicket, idsOf } = world();
    const subject = 'Ranked by priority';
    const within = 'q=%22ranked%20by%20priority%22';
    const priority = await define('priority', { rank: 25 });
    const ids: Record<string, string> = {};
    for (const each of ['high', priority.id, 'low', 'normal', 'urgent']) {
      ids[each] = ticketIdOf(await addTicket(agent, { subject, priority: each }));
    }
    const inOrder = (...each: string[]) => each.map((id) => ids[id]);
    expect(await idsOf(agent, `${within}&sort=-priority`)).toEqual(
      inOrder('urgent', 'high', priority.id, 'normal', 'low'),
    );
    await admin('PATCH', priority.path, { rank: 100 });
    expect(await idsOf(agent, `${within}&sort=-priority`)).toEqual(
      inOrder(priority.id, 'urgent', 'high', 'normal', 'low'),
    );
    await admin('PATCH', '/ticket_priority/low.json', { rank: 99 });
    expect(await idsOf(agent, `${within}&sort=-priority,-created_at`)).toEqual(
      inOrder(priority.id, 'low', 'urgent', 'high', 'normal'),
    );
    await admin('PATCH', '/ticket_priority/low.json', { rank: 10 });
  });

  test('can’t be filtered by an undefined id: 400 with the defined ids', async () => {
    const { agent } = world();
    const { status } = await defineAll();
    for (const path of ['/tickets.json', '/ticket_counts.json']) {
      const answer = await agent(
        'GET',
        `${path}?status=no_such&type[not]=none&priority=high,no&status_category=odd`,
      );
      expect(answer.status).toBe(400);
      expect(faultsOf(answer)[0]).toContain('status_category must be one of new, open');
    }
    const answer = await agent('GET', '/tickets.json?status=open,no_such&type[not]=none&priority=high,no');
    expect(answer.status).toBe(400);
    const [byStatus, byType, byPriority] = faultsOf(answer);
    expect(byStatus).toMatch(new RegExp(`^status must be one of new, .*${status.id}.*, closed`));
    expect(byType).toMatch(/^type\[not\] must be one of question, /);
    expect(byPriority).toMatch(/^priority must be one of low, /);
  });

  test('records status and category in its history and feed, and changes fields_tag with definitions', async () => {
    const { admin, agent, customer, define, addTicket } = world();
    const { id } = await define('status', { category: 'pending' });
    const path = await addTicket(customer);
    const tagOf = async () => (await agent('GET', '/changes.json?since=now')).json.fields_tag;
    const before = (await customer('GET', '/changes.json?since=now')).json.position;
    await agent('PUT', path, { status: id });
    const { json } = await customer('GET', path.replace('.json', '/events.json?sort=-created_at'));
    expect((json.events as Members[])[0]?.changes).toEqual([
      { field: 'status', from: 'new', to: id },
      { field: 'status_category', from: 'new', to: 'pending' },
    ]);
    const feed = await customer('GET', `/changes.json?since=${before}`);
    const [line] = feed.json.changes as { ticket: Members }[];
    expect(line?.ticket).toMatchObject({ status: id, status_category: 'pending' });
    const tags = new Set([await tagOf(), await tagOf()]);
    const { path: type } = await define('type');
    tags.add(await tagOf());
    await admin('PATCH', type, { title: 'Renamed' });
    tags.add(await tagOf());
    await admin('DELETE', type);
    tags.add(await tagOf());
    expect(tags.size).toBe(3);
  });
}

describe('a ticket with added statuses, types and priorities', () => {
  onEveryEngine(choosing);
});
