import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import type { Answer } from '../../tests/api.fixture.ts';
import { type Members, useDefinitionsWorld } from '../definitions/definitions-world.fixture.ts';

const root = { type: 'person', name: 'root@example.com' };
const rows = [
  ['status', 'ticket_status', { category: 'pending', title: 'In review', transitions: ['open'] }],
  ['type', 'ticket_type', { title: 'Change', position: 7 }],
  ['priority', 'ticket_priority', { title: 'Critical', rank: 70 }],
] as const;

function eventsOf({ json, text }: Answer): Members[] {
  expect(json.events, text).toBeDefined();
  return json.events as Members[];
}

function definitionEvents(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);
  const find = async (query: string) =>
    eventsOf(await world().agent('GET', `/events.json?sort=created_at&${query}`));
  const findOf = async (type: string, id: unknown) =>
    (await find(`type=${type}`)).filter(({ resource }) => (resource as Members).id === id);

  test.each(rows)(
    'record who added, changed and removed a %s, with the changed members',
    async (kind, type, members) => {
      const { admin, define } = world();
      const { id, path, json } = await define(kind, members);
      await admin('PATCH', path, { title: 'Renamed', titles: { de: 'Anders' } });
      await admin('PUT', path, { hidden: true });
      await admin('DELETE', path);
      const resource = { type, id };
      const common = { resource, ticket_id: null, reply_id: null, actor: root, client_id: 'mobile-app' };
      const found = await findOf(type, id);
      expect(found).toMatchObject([
        { type: `${type}.created`, ...common, created_at: json.created_at },
        {
          type: `${type}.changed`,
          ...common,
          changes: [
            { field: 'title', from: members.title, to: 'Renamed' },
            { field: 'titles.de', from: null, to: 'Anders' },
          ],
        },
        { type: `${type}.changed`, ...common, changes: [{ field: 'hidden', from: false, to: true }] },
        { type: `${type}.removed`, ...common },
      ]);
      const [created, removed] = [found[0]?.changes, found[3]?.changes] as [Members[], Members[]];
      for (const [field, value] of Object.entries(members)) {
        expect(created).toContainEqual({ field, from: null, to: value });
        const last = field === 'title' ? 'Renamed' : value;
        expect(removed).toContainEqual({ field, from: last, to: null });
      }
    },
  );

  test('record additions, changes and removals of a custom field', async () => {
    const { admin } = world();
    const body = { key: 'floor', title: 'Floor', type: 'select', options: ['1', '2'] };
    const { json: field } = await admin('POST', '/ticket_fields.json', body);
    const path = `/ticket_field/${field.id}.json`;
    await admin('PUT', path, { options: ['1', '2', '3'], visible_to_customers: true });
    await admin('DELETE', path);
    const found = await findOf('ticket_field', field.id);
    expect(found.map(({ type, actor }) => [type, (actor as Members).name])).toEqual(
      ['created', 'changed', 'removed'].map((action) => [`ticket_field.${action}`, root.name]),
    );
    expect(found[0]?.changes).toContainEqual({ field: 'options', from: null, to: ['1', '2'] });
    expect(found[1]?.changes).toEqual([
      { field: 'options', from: ['1', '2'], to: ['1', '2', '3'] },
      { field: 'visible_to_customers', from: false, to: true },
    ]);
    expect(found[2]?.changes).toContainEqual({ field: 'key', from: 'floor', to: null });
  });

  test('record each step of a replacement, and its changes of other definitions and tickets', async () => {
    const { admin, agent, define, addTicket } = world();
    const [old, next] = [await define('status'), await define('status')];
    const naming = await define('status', { transitions: [old.id] });
    const ticket = await addTicket(agent, { status: old.id });
    await admin('DELETE', `${old.path}?replace_with=${next.id}`);
    const [, begun, removed] = await findOf('ticket_status', old.id);
    expect([begun, removed]).toMatchObject([
      {
        type: 'ticket_status.changed',
        actor: root,
        changes: [
          { field: 'hidden', from: false, to: true },
          { field: 'replaced_by', from: null, to: next.id },
        ],
      },
      { type: 'ticket_status.removed', actor: root },
    ]);
    expect((await findOf('ticket_status', naming.id))[1]).toMatchObject({
      changes: [{ field: 'transitions', from: [old.id], to: [next.id] }],
      actor: root,
    });
    const [, moved] = eventsOf(await agent('GET', ticket.replace('.json', '/events.json?sort=created_at')));
    expect(moved).toMatchObject({
      type: 'ticket.changed',
      resource: { type: 'ticket' },
      changes: [{ field: 'status', from: old.id, to: next.id }],
    });
  });

  test('are written once by a repeated request, and not by a no-op or rejected request', async () => {
    const { admin, agent, define } = world();
    const { id, path, json } = await define('type');
    const key = { 'Idempotency-Key': `events-of-${id}` };
    for (let i = 0; i < 2; i++) {
      expect((await admin('PUT', path, { title: 'Once' }, key)).status).toBe(200);
    }
    const unchanged = await admin('PUT', path, { title: 'Once' });
    expect(unchanged.headers.get('Keydesk-Changed')).toBe('false');
    await admin('PUT', path, { title: 'Late' }, { 'If-Match': String(json.etag) });
    await admin('PUT', path, { title: '' });
    await agent('PUT', path, { title: 'Not mine' });
    await admin('POST', '/ticket_types.json', { id, title: 'Again' });
    expect((await findOf('ticket_type', id)).map(({ type }) => type)).toEqual([
      'ticket_type.created',
      'ticket_type.changed',
    ]);
  });

  test('are found by type, type of resource, actor and time, but not among the events of tickets', async () => {
    const { admin, agent, define, addTicket } = world();
    const { id } = await define('priority');
    const path = await addTicket(agent);
    const { json: me } = await admin('GET', '/me.json');
    const { id: rootId } = me.person as Members;
    const [latest] = eventsOf(
      await agent('GET', `/events.json?type=ticket_priority.created&actor=${rootId}&limit=1`),
    );
    expect(latest?.resource).toEqual({ type: 'ticket_priority', id });
    const at = String(latest?.created_at);
    const since = await find(`type=ticket_priority,ticket&created_at[gte]=${at}`);
    expect(since.map(({ type }) => type)).toEqual(['ticket_priority.created', 'ticket.created']);
    const ofTicket = await find(`ticket_id=${path.slice('/ticket/'.length, -'.json'.length)}`);
    expect(ofTicket.map(({ type }) => type)).toEqual(['ticket.created']);
    for (const event of await find('type=ticket,reply')) expect(event.ticket_id).not.toBeNull();
  });

  test('are visible only to staff, in XML and JSON', async () => {
    const { agent, customer, define } = world();
    const { id } = await define('type');
    const xml = await agent('GET', '/events.xml?type=ticket_type&limit=1');
    expect(xml.text).toContain(`<resource><type>ticket_type</type><id>${id}</id></resource>`);
    expect(xml.text).toContain('<ticket_id nil="true"/>');
    const refused = await customer('GET', '/events.json?type=ticket_type');
    expect([refused.status, refused.json.code]).toEqual([403, 'forbidden']);
  });

  test('come with a new fields_tag for staff and customers after every change', async () => {
    const { admin, agent, customer, define } = world();
    const tagsOf = async () => {
      const answers = [
        await agent('GET', '/changes.json?since=now'),
        await customer('GET', '/changes.json?since=now'),
      ];
      return answers.map(({ json }) => json.fields_tag);
    };
    for (const [kind] of rows) {
      const before = await tagsOf();
      const { id, path } = await define(kind);
      const added = await tagsOf();
      await admin('PATCH', path, { title: 'Renamed' });
      const renamed = await tagsOf();
      await admin('DELETE', path);
      const removed = await tagsOf();
      await define(kind, { id });
      const again = await tagsOf();
      for (const i of [0, 1]) {
        const tags = [before, added, renamed, removed, again].map((each) => each[i]);
        expect(new Set(tags).size).toBe(4);
        expect(removed[i]).toBe(before[i]);
      }
    }
  });
}

describe('events of definitions', () => {
  onEveryEngine(definitionEvents);
});
