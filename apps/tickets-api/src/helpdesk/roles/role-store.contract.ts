import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openTwice } from '../../storage/engines.fixture.ts';
import type { TestDatabase } from '../../storage/test-database.fixture.ts';
import { newRequest } from '../../tests/idempotency.fixture.ts';
import { findEvents, newDefinitionEvent } from '../history/new-event.fixture.ts';
import { createDefaultRole, type RoleRecord } from './role.ts';

/** Contract of every store of roles. */
export function roleStoreContract(createDatabase: () => Promise<TestDatabase>): void {
  describe('a role store', () => {
    const opened = openTwice(createDatabase);
    const find = async (id: RoleRecord['id']) =>
      (await opened.other.roles.list()).find((role) => role.id === id);
    const next = (role: RoleRecord, version: number): RoleRecord => ({
      ...role,
      rights: { ...role.rights, purge_tickets: version % 2 === 0 },
      updated_at: '2026-03-01T12:00:00.002Z',
      version,
    });

    it('commits one of several concurrent changes of a version, and returns every member', async () => {
      const role = createDefaultRole('agent');
      expect(await find('agent')).toBeUndefined();
      for (const version of [2, 3]) {
        const racers = Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? opened.other : opened.storage).roles.replace(next(role, version), version - 1),
        );
        const outcomes = (await Promise.all(racers)).map(({ outcome }) => outcome);
        expect(outcomes.toSorted()).toEqual(['committed', ...Array(9).fill('stale')]);
        const found = await find('agent');
        expect(found).toStrictEqual(next(role, version));
        expect(Object.isFrozen(found) && Object.isFrozen(found?.rights)).toBe(true);
      }
      expect(await opened.storage.roles.replace(next(role, 2), 1)).toEqual({ outcome: 'stale' });
      expect(await opened.storage.roles.replace(next(role, 1), 0)).toEqual({ outcome: 'stale' });
    });

    it('replays a request, and writes the event only of a committed write', async () => {
      const role = createDefaultRole('customer');
      const events = Array.from({ length: 3 }, () => ({
        event: { ...newDefinitionEvent('role', 'customer').event, type: 'role.changed' as const },
      }));
      const [changed, again, stale] = events;
      const request = { records: [newRequest({ key: randomUUID() })], answer: 'changed', ticketId: null };
      const replace = (event: typeof changed) =>
        opened.storage.roles.replace(next(role, 2), 1, { event, request });
      expect(await replace(changed)).toEqual({ outcome: 'committed' });
      expect(await replace(again)).toEqual({ outcome: 'replayed', answer: 'changed' });
      await opened.storage.roles.replace(next(role, 2), 1, { event: stale });
      expect(await findEvents(opened.other, events)).toEqual([changed]);
    });
  });
}
