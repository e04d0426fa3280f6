import { describeWith } from '@keydesk/testing';
import { describe, expect, test } from 'vitest';
import {
  createMongoDatabase,
  createSqliteDatabase,
  type TestDatabase,
} from '../../storage/test-database.fixture.ts';
import { type Fields, faultsOf, useFieldsWorld } from './fields-world.fixture.ts';

function definitions(createDatabase: () => Promise<TestDatabase>): void {
  const world = useFieldsWorld(createDatabase);

  test('are added, read, changed and removed by administrators, as JSON and as XML', async () => {
    const { admin, agent, define } = world();
    const { key, path, json } = await define({ type: 'select', options: ['a', 'b'], position: 3 });
    expect((await agent('GET', path)).json).toEqual(json);
    const changed = await admin('PUT', path, { ...json, title: 'Renamed' });
    expect(changed.json).toMatchObject({ key, title: 'Renamed', options: ['a', 'b'], version: 2 });
    expect((await admin('PATCH', path, { positoin: null })).status).toBe(400);
    const patched = await admin('PATCH', path, { position: null });
    expect(patched.json).toMatchObject({ position: 0, version: 3 });
    const xml = await admin('GET', path.replace('.json', '.xml'));
    const asXml = { 'Content-Type': 'application/xml' };
    const sentBack = await admin('PUT', path, xml.text, asXml);
    expect(sentBack.json).toEqual(patched.json);
    expect(sentBack.headers.get('Keydesk-Changed')).toBe('false');
    expect((await admin('DELETE', path)).json).toEqual(patched.json);
    expect((await admin('GET', path)).status).toBe(404);
  });

  test('are listed on one page by position, then by key', async () => {
    const { agent, define } = world();
    const late = await define({ position: 1_000 });
    const [one, two] = [await define({ position: 999 }), await define({ position: 999 })];
    const { json } = await agent('GET', '/ticket_fields.json');
    const keys = (json.ticket_fields as Fields[]).map((field) => field.key);
    expect(keys.slice(-3)).toEqual([one.key, two.key, late.key]);
  });

  test('can be changed only by administrators', async () => {
    const { admin, agent, customer, define } = world();
    const { path } = await define({ visible_to_customers: true });
    const field = { key: 'mine', title: 'Mine', type: 'text' };
    for (const send of [agent, customer]) {
      expect((await send('POST', '/ticket_fields.json', field)).status).toBe(403);
      expect((await send('PUT', path, { title: 'Mine' })).status).toBe(403);
      expect((await send('PATCH', path, { title: 'Mine' })).status).toBe(403);
      expect((await send('DELETE', path)).status).toBe(403);
    }
    await admin('DELETE', path);
  });

  test('reject inconsistent members, a changed key, and a duplicate key', async () => {
    const { admin, define } = world();
    const { key, path } = await define();
    const refused: [Fields, string[]][] = [
      [{ type: 'select' }, ['options']],
      [{ options: ['a'], editable_by_customers: true }, ['options', 'editable_by_customers']],
      [{ key: 'other' }, ['key']],
      [{ title: ' ', type: 'colour' }, ['title', 'type']],
    ];
    for (const [fields, faults] of refused) {
      const answer = await admin('PUT', path, fields);
      expect([answer.status, faultsOf(answer)]).toEqual([400, faults]);
    }
    const twice = await admin('POST', '/ticket_fields.json', { key, title: 'Again', type: 'text' });
    expect(twice.status).toBe(409);
  });

  test('reject a key that no body can contain', async () => {
    const { admin } = world();
    const field = { key: 'constructor', title: 'x', type: 'text' };
    const answer = await admin('POST', '/ticket_fields.json', field);
    expect([answer.status, faultsOf(answer)]).toEqual([400, ['key']]);
  });

  test('are changed by one of ten concurrent requests that read the same version', async () => {
    const { admin, define } = world();
    const { path } = await define();
    const etag = (await admin('GET', path)).headers.get('ETag') ?? '';
    const racers = Array.from({ length: 10 }, (_, i) =>
      admin('PUT', path, { title: `by ${i}` }, { 'If-Match': etag }),
    );
    const statuses = (await Promise.all(racers)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
  });

  test('are added once by a repeated request', async () => {
    const { admin } = world();
    const field = { key: 'repeated', title: 'Once', type: 'text' };
    const repeat = () => admin('POST', '/ticket_fields.json', field, { 'Idempotency-Key': 'define' });
    const answers = [await repeat(), await repeat()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.json).toEqual(answers[0]?.json);
    expect(answers[1]?.headers.get('Idempotency-Replayed')).toBe('true');
  });
}

describe('definitions of custom fields on SQLite', () => definitions(createSqliteDatabase));

describeWith('mongodb', 'definitions of custom fields on MongoDB', (url) =>
  definitions(() => createMongoDatabase(url)),
);
