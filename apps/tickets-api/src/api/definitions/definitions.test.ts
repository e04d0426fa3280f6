import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { faultsOf, type Members, useDefinitionsWorld } from './definitions-world.fixture.ts';

const asXml = { 'Content-Type': 'application/xml' };
const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' };

function definitions(createDatabase: () => Promise<TestDatabase>): void {
  const world = useDefinitionsWorld(createDatabase);

  describe.each([
    ['status', 'ticket_statuses', ['new', 'open', 'pending', 'hold', 'solved', 'closed']],
    ['type', 'ticket_types', ['question', 'incident', 'problem', 'task']],
    ['priority', 'ticket_priorities', ['low', 'normal', 'high', 'urgent']],
  ] as const)('of kind %s', (kind, plural, builtIn) => {
    test('start with the built-in ones, which all roles can read', async () => {
      const { admin, agent, customer } = world();
      for (const send of [admin, agent, customer]) {
        const { json } = await send('GET', `/${plural}.json`);
        const ids = (json[plural] as Members[]).filter((each) => each.built_in).map(({ id }) => id);
        expect(ids).toEqual(builtIn);
        const first = await send('GET', `/ticket_${kind}/${builtIn[0]}.xml`);
        expect(first.text).toContain(`<id>${builtIn[0]}</id>`);
      }
    });

    test('are added, read, changed and removed by administrators, as JSON, XML and forms', async () => {
      const { admin, agent, define } = world();
      const { id, path, json } = await define(kind, { titles: { de: 'Definiert', 'pt-BR': 'Definido' } });
      expect((await agent('GET', path)).json).toEqual(json);
      const changed = await admin('PUT', path, { ...json, title: 'Renamed' });
      expect(changed.json).toMatchObject({ id, title: 'Renamed', built_in: false, version: 2 });
      expect(changed.json.titles).toEqual({ de: 'Definiert', 'pt-BR': 'Definido' });
      const patched = await admin('PATCH', path, { titles: { de: null, fr: 'Défini' } });
      expect(patched.json).toMatchObject({ titles: { 'pt-BR': 'Definido', fr: 'Défini' }, version: 3 });
      const xml = await admin('GET', path.replace('.json', '.xml'));
      const sentBack = await admin('PUT', path, xml.text, asXml);
      expect(sentBack.headers.get('Keydesk-Changed'), sentBack.text).toBe('false');
      const ofForm = await admin('PUT', path, 'title=Of+a+form&titles[es]=De+un+formulario', asForm);
      expect(ofForm.json).toMatchObject({ title: 'Of a form', titles: { es: 'De un formulario' } });
      expect((await admin('DELETE', path)).json).toEqual(ofForm.json);
      expect((await admin('GET', path)).status).toBe(404);
    });

    test('can be changed only by administrators', async () => {
      const { agent, customer, define } = world();
      const { path, json } = await define(kind);
      for (const send of [agent, customer]) {
        expect((await send('POST', `/${plural}.json`, { ...toNew(json), id: 'mine' })).status).toBe(403);
        expect((await send('PUT', path, { title: 'Mine' })).status).toBe(403);
        expect((await send('PATCH', path, { title: 'Mine' })).status).toBe(403);
        expect((await send('DELETE', path)).status).toBe(403);
      }
    });

    test('reject an id that is in use or malformed, another id, and a title without letters', async () => {
      const { admin, define } = world();
      const { id, path, json } = await define(kind);
      for (const taken of [id, builtIn[0]]) {
        const again = await admin('POST', `/${plural}.json`, { ...toNew(json), id: taken });
        expect([again.status, again.json.code]).toEqual([409, 'conflict']);
      }
      for (const bad of ['In-Review', '1st', 'x'.repeat(65), '']) {
        const refused = await admin('POST', `/${plural}.json`, { ...toNew(json), id: bad });
        expect([refused.status, faultsOf(refused)[0]]).toEqual([400, expect.stringMatching(/^id must be/)]);
      }
      expect(faultsOf(await admin('PUT', path, { id: 'other' }))[0]).toMatch(/^id is read-only/);
      expect(faultsOf(await admin('PUT', path, { title: ' ' }))[0]).toMatch(/^title/);
      expect(faultsOf(await admin('PUT', path, { titles: { deutsch1: 'x' } }))[0]).toMatch(/^titles/);
      expect((await admin('GET', `/ticket_${kind}/No-Such.json`)).status).toBe(404);
    });

    test('that are built in can be renamed but not removed, and defaults can’t be hidden', async () => {
      const { admin, agent } = world();
      const path = `/ticket_${kind}/${builtIn[1]}.json`;
      const { json } = await agent('GET', path);
      const renamed = await admin('PUT', path, { title: 'Other', titles: { de: 'Anders' } });
      expect(renamed.json).toEqual({
        ...json,
        title: 'Other',
        titles: { de: 'Anders' },
        version: 2,
        updated_at: expect.any(String),
        etag: expect.any(String),
      });
      expect((await agent('GET', path)).json).toEqual(renamed.json);
      const removal = await admin('DELETE', path);
      expect([removal.status, removal.json.code, removal.json.detail]).toEqual([
        409,
        'conflict',
        expect.stringContaining('hide it instead'),
      ]);
      const byDefault = { status: 'new', type: undefined, priority: 'normal' }[kind];
      if (!byDefault) return;
      const hidden = await admin('PUT', `/ticket_${kind}/${byDefault}.json`, { hidden: true });
      expect([hidden.status, faultsOf(hidden)[0]]).toEqual([
        400,
        expect.stringMatching(/^hidden must be false/),
      ]);
    });

    test('are changed by one of ten concurrent requests that read the same version', async () => {
      const { admin, adminElsewhere, define } = world();
      const { path, json } = await define(kind);
      const racers = Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? adminElsewhere : admin)(
          'PUT',
          path,
          { title: `by ${i}` },
          { 'If-Match': String(json.etag) },
        ),
      );
      const answers = await Promise.all(racers);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(412)]);
      const stale = await admin('PUT', path.replace('.json', '.xml'), { title: 'x' }, { 'If-Match': '"1"' });
      expect([stale.status, stale.text]).toEqual([412, expect.stringContaining('<current>')]);
    });

    test('are added once by a repeated request', async () => {
      const { admin, define } = world();
      const { json } = await define(kind);
      const body = { ...toNew(json), id: 'repeated' };
      const headers = { 'Idempotency-Key': `add ${kind}`.replace(' ', '-') };
      const repeat = () => admin('POST', `/${plural}.json`, body, headers);
      const answers = [await repeat(), await repeat()];
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers[1]?.json).toEqual(answers[0]?.json);
      expect(answers[1]?.headers.get('Idempotency-Replayed')).toBe('true');
    });
  });

  test('are sorted by category and position, by position, or by rank', async () => {
    const { agent, define } = world();
    const late = await define('status', { category: 'new', position: 9 });
    const early = await define('status', { category: 'new', position: 3 });
    const type = await define('type', { position: 15 });
    const priority = await define('priority', { rank: 35 });
    const orderOf = async (plural: string, among: readonly string[]) => {
      const { json } = await agent('GET', `/${plural}.json`);
      return (json[plural] as { id: string }[]).map(({ id }) => id).filter((id) => among.includes(id));
    };
    const statuses = ['new', early.id, late.id, 'open', 'closed'];
    expect(await orderOf('ticket_statuses', statuses.toReversed())).toEqual(statuses);
    const types = ['incident', type.id, 'problem'];
    expect(await orderOf('ticket_types', types.toReversed())).toEqual(types);
    const priorities = ['high', priority.id, 'urgent'];
    expect(await orderOf('ticket_priorities', priorities.toReversed())).toEqual(priorities);
  });

  test('of statuses keep their category, and accept only transitions that it allows', async () => {
    const { admin, agent, define } = world();
    const { id, path, json } = await define('status', { category: 'hold', transitions: ['open', 'solved'] });
    expect(json).toMatchObject({ transitions: ['open', 'solved'], can_become: ['open', 'solved'] });
    expect(faultsOf(await admin('PUT', path, { category: 'open' }))).toEqual([
      'category is read-only; omit it or send its current value, hold',
    ]);
    for (const refused of ['new', 'closed', 'no_such', id]) {
      const [fault] = faultsOf(await admin('PUT', path, { transitions: ['open', refused] }));
      expect(fault).toContain(`transitions must not have ${refused}; allowed in this category: `);
      expect(fault).toContain('open, pending');
    }
    const every = await admin('PATCH', path, { transitions: null });
    const wider = await define('status', { category: 'pending' });
    const { json: now, headers } = await agent('GET', path);
    expect(now.can_become).toEqual([...(every.json.can_become as string[]), wider.id].toSorted(byList(now)));
    expect([now.version, headers.get('ETag') === every.headers.get('ETag')]).toEqual([2, false]);
    await admin('PATCH', wider.path, { hidden: true });
    expect((await agent('GET', path)).json.can_become).toEqual(every.json.can_become);
    const closed = await define('status', { category: 'closed' });
    expect(closed.json.can_become).toEqual([]);
  });
}

/** Compares ids by their order in `can_become`. */
function byList({ can_become }: Members): (one: string, other: string) => number {
  const order = can_become as string[];
  return (one, other) => order.indexOf(one) - order.indexOf(other);
}

/** Members of a definition that `POST` takes. */
function toNew({ title, rank, category }: Members): Members {
  return { title, ...(rank !== undefined && { rank }), ...(category !== undefined && { category }) };
}

describe('definitions of statuses, types and priorities', () => {
  onEveryEngine(definitions);
});
