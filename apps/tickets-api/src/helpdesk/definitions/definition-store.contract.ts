import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { changed, newTicket } from '../../api/tickets/new-ticket.fixture.ts';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { newRequest } from '../../tests/idempotency.fixture.ts';
import { adding, changing } from '../commit/ticket-commit.fixture.ts';
import { findEvents, newDefinitionEvent } from '../history/new-event.fixture.ts';
import { builtInDefinitions, maxAdded } from './built-in.ts';
import type { Definition } from './definition.ts';
import type { DefinitionStore } from './definition-store.ts';
import { newDefinition } from './new-definition.fixture.ts';

const codeOf = (err: { code: string }) => err.code;
const outcomeOf = ({ outcome }: { outcome: string }) => outcome;

/** Contract of every store of statuses, types and priorities. */
export function definitionStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a definition store', () => {
    const opened = openTwice(createDatabase);
    const racers = <T>(race: (store: DefinitionStore, i: number) => Promise<T>) =>
      Promise.all(
        Array.from({ length: 10 }, (_, i) => race((i % 2 ? opened.other : opened.storage).definitions, i)),
      );
    const add = async (members: Partial<Definition> = {}) => {
      const definition = newDefinition(members);
      expect(await opened.storage.definitions.add(definition)).toEqual({ outcome: 'committed' });
      return definition;
    };
    const builtIn = (id: string) => builtInDefinitions.find((each) => each.id === id) as Definition;

    it('returns every member as it was written, frozen', async () => {
      const plain = await add();
      const type = await add({ kind: 'type' });
      const full = await add({
        titles: { de: 'Titel', 'pt-BR': 'Título' },
        position: 7,
        hidden: true,
        transitions: ['open', 'solved'],
      });
      const empty = await add({ transitions: [] });
      for (const definition of [plain, type, full, empty]) {
        const found = await opened.other.definitions.find(definition);
        expect(found).toStrictEqual(definition);
        expect(Object.isFrozen(found) && Object.isFrozen(found?.titles)).toBe(true);
      }
      const listed = await opened.other.definitions.list();
      expect(listed).toEqual(expect.arrayContaining([plain, type, full, empty]));
    });

    it('distinguishes kinds', async () => {
      const { id } = await add({ kind: 'priority' });
      expect(await opened.other.definitions.find({ kind: 'type', id })).toBeUndefined();
      await add({ kind: 'type', id });
    });

    it('adds one of several concurrent definitions with the same id', async () => {
      const { id } = newDefinition();
      const outcomes = await racers((store) => store.add(newDefinition({ id })).then(outcomeOf, codeOf));
      expect(outcomes.toSorted()).toEqual(['committed', ...Array(9).fill('conflict')]);
    });

    it('stores the first of several concurrent changes of a built-in definition, and later changes', async () => {
      const hold = builtIn('hold');
      expect(await opened.storage.definitions.find(hold)).toBeUndefined();
      const outcomes = await racers((store, i) =>
        store.replace({ ...hold, title: `by ${i}`, version: 2 }, 1).then(outcomeOf),
      );
      expect(outcomes.toSorted()).toEqual(['committed', ...Array(9).fill('stale')]);
      const next = { ...hold, title: 'On hold', version: 3 };
      expect(await opened.storage.definitions.replace(next, 2)).toEqual({ outcome: 'committed' });
      expect(await opened.other.definitions.find(hold)).toStrictEqual(next);
    });

    it('commits one of several concurrent changes of a version, and one removal', async () => {
      const definition = await add();
      const changes = await racers((store, i) =>
        store.replace({ ...definition, title: `by ${i}`, version: 2 }, 1).then(outcomeOf),
      );
      expect(changes.filter((each) => each === 'committed')).toHaveLength(1);
      const removals = await racers((store) => store.remove(definition, 2).then(outcomeOf));
      expect(removals.filter((each) => each === 'committed')).toHaveLength(1);
      expect(await opened.other.definitions.find(definition)).toBeUndefined();
      expect(await opened.other.definitions.replace(definition, 2)).toEqual({ outcome: 'stale' });
    });

    it('replays additions, changes and removals, even if the definition has changed since', async () => {
      const definition = newDefinition();
      const [adding, changing, removing] = ['added', 'changed', 'removed'].map((answer) => ({
        records: [newRequest({ key: randomUUID() })],
        answer,
        ticketId: null,
      }));
      const next = { ...definition, title: 'Changed', version: 2 };
      const steps = [
        () => opened.storage.definitions.add(definition, { request: adding }),
        () => opened.other.definitions.replace(next, 1, { request: changing }),
        () => opened.storage.definitions.remove(definition, 2, { request: removing }),
      ];
      for (const step of steps) expect(await step()).toEqual({ outcome: 'committed' });
      const answers = ['added', 'changed', 'removed'];
      for (const [i, step] of steps.entries()) {
        expect(await step()).toEqual({ outcome: 'replayed', answer: answers[i] });
      }
    });

    it('writes the event only of a committed write, in the same transaction', async () => {
      const { definitions } = opened.storage;
      const definition = newDefinition();
      const events = Array.from({ length: 6 }, () => newDefinitionEvent('ticket_status', definition.id));
      const [added, again, stale, changed, removed, gone] = events;
      const request = { records: [newRequest({ key: randomUUID() })], answer: 'added', ticketId: null };
      const next = { ...definition, title: 'Changed', version: 2 };
      await definitions.add(definition, { event: added, request });
      await definitions.add(definition, { event: again, request });
      await expect(definitions.add(definition, { event: again })).rejects.toMatchObject({ code: 'conflict' });
      await definitions.replace(next, 7, { event: stale });
      await definitions.replace(next, 1, { event: changed });
      await definitions.remove(definition, 2, { event: removed });
      await definitions.remove(definition, 2, { event: gone });
      expect(await findEvents(opened.other, events)).toEqual([added, changed, removed]);
    });

    it('holds at most 200 of a kind, built-in ones included, even for concurrent additions', async () => {
      const database = await createDatabase();
      const [storage, other] = [await database.open(), await database.open()];
      const max = maxAdded('type');
      await storage.definitions.replace({ ...builtIn('task'), title: 'To do', version: 2 }, 1);
      for (let i = 1; i < max; i++) await storage.definitions.add(newDefinition({ kind: 'type' }));
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? other : storage).definitions.add(newDefinition({ kind: 'type' })).then(outcomeOf, codeOf),
        ),
      );
      expect(outcomes.toSorted()).toEqual(['committed', ...Array(9).fill('conflict')]);
      expect((await storage.definitions.list()).filter((each) => !each.built_in)).toHaveLength(max);
      await storage.definitions.add(newDefinition({ kind: 'priority' }));
      await Promise.all([storage.close(), other.close()]);
      await database.drop();
    });

    it('rejects the removal of a definition that a ticket has, deleted or not', async () => {
      for (const kind of ['status', 'type', 'priority'] as const) {
        const definition = await add({ kind });
        for (const deleted_at of [null, '2026-03-02T12:00:00.000Z']) {
          const ticket = newTicket({ [kind]: definition.id, deleted_at });
          await opened.storage.tickets.commit([{ ...adding(ticket), chosen: [definition] }]);
          await expect(opened.other.definitions.remove(definition, 1)).rejects.toMatchObject({
            code: 'in_use',
          });
          const other = changed(ticket, { status: 'open', type: null, priority: 'normal' });
          await opened.other.tickets.commit([changing(other)]);
        }
        expect(await opened.storage.definitions.remove(definition, 1)).toEqual({ outcome: 'committed' });
      }
    });

    it('rejects tickets that choose a definition that is removed or being replaced', async () => {
      const [gone, replaced] = [newDefinition(), await add()];
      await opened.storage.definitions.replace({ ...replaced, replaced_by: 'pending', version: 2 }, 1);
      for (const chosen of [gone, replaced]) {
        const commit = { ...adding(newTicket({ status: chosen.id })), chosen: [chosen] };
        await expect(opened.other.tickets.commit([commit])).rejects.toMatchObject({
          code: 'validation_failed',
          errors: [{ field: 'status' }],
        });
      }
    });

    it('never leaves a ticket with a removed definition when both are written at the same time', async () => {
      for (let round = 0; round < 5; round++) {
        const definition = await add();
        const { status } = newTicket({ status: definition.id });
        const writes = racers((_, i) => {
          const { tickets } = i % 2 ? opened.other : opened.storage;
          const commit = { ...adding(newTicket({ status })), chosen: [definition] };
          return tickets.commit([commit]).then(outcomeOf, codeOf);
        });
        const removal = opened.other.definitions.remove(definition, 1).then(outcomeOf, codeOf);
        const [outcomes, removed] = await Promise.all([writes, removal]);
        const isAdded = outcomes.includes('committed');
        expect([outcomes.includes('validation_failed') || isAdded, removed]).toEqual([
          true,
          isAdded ? 'in_use' : 'committed',
        ]);
        const isThere = (await opened.storage.definitions.find(definition)) !== undefined;
        expect(isThere).toBe(isAdded);
      }
    });

    it('rejects replacements that are removed, being replaced, or replaced in turn', async () => {
      const [one, two, three] = [await add(), await add(), await add()];
      const { definitions } = opened.storage;
      const replaceBy = (definition: Definition, replaced_by: string) =>
        definitions.replace({ ...definition, replaced_by, version: 2 }, 1).then(outcomeOf, codeOf);
      expect(await replaceBy(one, 'nothing')).toBe('conflict');
      expect(await replaceBy(one, two.id)).toBe('committed');
      expect(await replaceBy(two, three.id)).toBe('conflict');
      expect(await replaceBy(three, one.id)).toBe('conflict');
      await expect(definitions.remove(two, 1)).rejects.toMatchObject({ code: 'conflict' });
      expect(await replaceBy(three, 'pending')).toBe('committed');
      expect(await definitions.remove(one, 2)).toEqual({ outcome: 'committed' });
      expect(await definitions.remove(two, 1)).toEqual({ outcome: 'committed' });
    });
  });
}
