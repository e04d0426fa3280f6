import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { newRequest, repeatWhileInFlight } from '../../tests/idempotency.fixture.ts';
import { findEvents, newDefinitionEvent } from '../history/new-event.fixture.ts';
import type { FieldStore } from './field-store.ts';
import { newField } from './new-field.fixture.ts';
import { MAX_FIELDS } from './ticket-field.ts';

/** Runs ten concurrent additions through two stores, and returns their outcomes. */
function raceFor(
  stores: readonly [FieldStore, FieldStore],
  add: (store: FieldStore) => ReturnType<FieldStore['add']>,
): Promise<string[]> {
  const additions = Array.from({ length: 5 }, () => stores.map(add)).flat();
  return Promise.all(
    additions.map((addition) =>
      addition.then(
        ({ outcome }) => outcome,
        (err) => err.code,
      ),
    ),
  );
}

/** Contract of every store of definitions of custom fields. */
export function fieldStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a field store', () => {
    const opened = openTwice(createDatabase);
    const racers = <T>(race: (store: typeof opened.storage.fields, i: number) => Promise<T>) =>
      Promise.all(
        Array.from({ length: 10 }, (_, i) => race((i % 2 ? opened.other : opened.storage).fields, i)),
      );

    it('returns every member as it was written, frozen', async () => {
      const plain = newField();
      const full = newField({
        type: 'multi_select',
        options: ['b', 'a'],
        required_on: ['create', 'solve'],
        visible_to_customers: true,
        editable_by_customers: true,
        position: 7,
      });
      for (const field of [plain, full]) {
        expect(await opened.storage.fields.add(field)).toEqual({ outcome: 'committed' });
        const found = await opened.other.fields.find(field.id);
        expect(found).toStrictEqual(field);
        expect(Object.isFrozen(found) && Object.isFrozen(found?.options)).toBe(true);
      }
      const listed = await opened.other.fields.list();
      expect(listed).toEqual(expect.arrayContaining([plain, full]));
    });

    it('finds no unknown field, and returns stale for its writes', async () => {
      const { id } = newField();
      expect(await opened.storage.fields.find(id)).toBeUndefined();
      expect(await opened.storage.fields.remove(id, 1)).toEqual({ outcome: 'stale' });
      expect(await opened.storage.fields.replace(newField({ version: 2 }), 1)).toEqual({ outcome: 'stale' });
    });

    it('adds one of several concurrent definitions with the same key', async () => {
      const { key } = newField();
      const { storage, other } = opened;
      const outcomes = await raceFor([storage.fields, other.fields], (store) => store.add(newField({ key })));
      expect(outcomes.toSorted()).toEqual(['committed', ...Array.from({ length: 9 }, () => 'conflict')]);
      expect((await opened.other.fields.list()).filter((field) => field.key === key)).toHaveLength(1);
    });

    it('commits one of several concurrent changes of a version, and one removal', async () => {
      const field = newField();
      await opened.storage.fields.add(field);
      const changed = await racers((store, i) =>
        store.replace({ ...field, title: `by ${i}`, version: 2 }, 1),
      );
      const winners = changed.map(({ outcome }) => outcome === 'committed');
      expect(winners.filter(Boolean)).toHaveLength(1);
      const winner = `by ${winners.indexOf(true)}`;
      expect(await opened.other.fields.find(field.id)).toStrictEqual({ ...field, title: winner, version: 2 });
      const removed = await racers((store) => store.remove(field.id, 2));
      expect(removed.filter(({ outcome }) => outcome === 'committed')).toHaveLength(1);
      expect(await opened.other.fields.find(field.id)).toBeUndefined();
    });

    it('replays a change and a removal, even if the definition has changed since', async () => {
      const field = newField();
      await opened.storage.fields.add(field);
      const [changing, removing] = ['changed', 'removed'].map((answer) => ({
        records: [newRequest({ key: randomUUID() })],
        answer,
        ticketId: null,
      }));
      const next = { ...field, title: 'Changed', version: 2 };
      const change = () => opened.storage.fields.replace(next, 1, { request: changing });
      const remove = () => opened.other.fields.remove(field.id, 2, { request: removing });
      expect([await change(), await remove()]).toEqual(Array(2).fill({ outcome: 'committed' }));
      expect(await change()).toEqual({ outcome: 'replayed', answer: 'changed' });
      expect(await remove()).toEqual({ outcome: 'replayed', answer: 'removed' });
    });

    it('writes the event only of a committed write, in the same transaction', async () => {
      const { fields } = opened.storage;
      const field = newField();
      const events = Array.from({ length: 6 }, () => newDefinitionEvent('ticket_field', field.id));
      const [added, again, stale, changed, removed, gone] = events;
      const request = { records: [newRequest({ key: randomUUID() })], answer: 'added', ticketId: null };
      const next = { ...field, title: 'Changed', version: 2 };
      await fields.add(field, { event: added, request });
      await fields.add(field, { event: again, request });
      await expect(fields.add(newField({ key: field.key }), { event: again })).rejects.toMatchObject({
        code: 'conflict',
      });
      await fields.replace(next, 7, { event: stale });
      await fields.replace(next, 1, { event: changed });
      await fields.remove(field.id, 2, { event: removed });
      await fields.remove(field.id, 2, { event: gone });
      expect(await findEvents(opened.other, events)).toEqual([added, changed, removed]);
    });

    it('frees the key of a removed field', async () => {
      const field = newField();
      await opened.storage.fields.add(field);
      await opened.storage.fields.remove(field.id, 1);
      const next = newField({ key: field.key });
      expect(await opened.other.fields.add(next)).toEqual({ outcome: 'committed' });
    });

    it('holds at most 200, replays earlier additions, and gives a free place to one concurrent addition', async () => {
      const database = await createDatabase();
      const storage = await database.open();
      const all = Array.from({ length: MAX_FIELDS }, () => newField());
      const request = { records: [newRequest({ key: randomUUID() })], answer: 'the first', ticketId: null };
      const [first, ...others] = all;
      if (first) await storage.fields.add(first, { request });
      for (const field of others) await storage.fields.add(field);
      await expect(storage.fields.add(newField())).rejects.toMatchObject({ code: 'conflict' });
      expect(await storage.fields.list()).toHaveLength(MAX_FIELDS);
      const repeated = await storage.fields.add(newField(), { request });
      expect(repeated).toEqual({ outcome: 'replayed', answer: 'the first' });
      await storage.fields.remove(first?.id ?? '', 1);
      const other = await database.open();
      const outcomes = await raceFor([storage.fields, other.fields], (store) => store.add(newField()));
      expect(outcomes.toSorted()).toEqual(['committed', ...Array.from({ length: 9 }, () => 'conflict')]);
      expect(await storage.fields.list()).toHaveLength(MAX_FIELDS);
      await Promise.all([storage.close(), other.close()]);
      await database.drop();
    });

    it('adds once for concurrent repetitions of a request, and replays the first answer to the others', async () => {
      const { key } = newField();
      const record = newRequest({ key: randomUUID() });
      const outcomes = await racers((store, i) => {
        const field = newField({ key, title: `by ${i}` });
        const request = { records: [record], answer: field, ticketId: null };
        return repeatWhileInFlight(() => store.add(field, { request }));
      });
      const [winner] = (await opened.storage.fields.list()).filter((field) => field.key === key);
      expect(outcomes.filter(({ outcome }) => outcome === 'committed')).toHaveLength(1);
      for (const outcome of outcomes.filter((each) => each.outcome !== 'committed')) {
        expect(outcome).toEqual({ outcome: 'replayed', answer: winner });
      }
      const other = { ...record, fingerprint: 'another request' };
      const request = { records: [other], answer: null, ticketId: null };
      const mismatch = opened.other.fields.add(newField(), { request });
      expect(await mismatch).toEqual({ outcome: 'mismatch', key: record.key });
    });
  });
}
