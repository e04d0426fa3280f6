import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { AuditRecord } from './audit-event.ts';
import { exampleRecord } from './audit-record.fixture.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z');
const after = (milliseconds: number) => new Date(start + milliseconds);
const idsOf = (records: readonly AuditRecord[]) => records.map(({ id }) => id);

/** Contract of audit stores. */
export function auditStoreContract(engine: Engine): void {
  describe('an audit store', () => {
    const storage = useStorage(engine);
    const audit = () => storage.get().audit;

    /** Appends records of a new client, a millisecond apart, and returns them newest first. */
    async function append(count: number, members: Partial<AuditRecord> = {}): Promise<AuditRecord[]> {
      const clientId = randomUUID();
      const records = Array.from({ length: count }, (_, i) =>
        exampleRecord({ clientId, at: after(i), ...members }),
      );
      await audit().append(records);
      return records.reverse();
    }

    const clientOf = ([record]: readonly AuditRecord[]) => record?.clientId ?? '';

    it('returns every member of a record, absent ones as null', async () => {
      const full = exampleRecord({
        accountId: randomUUID(),
        details: { reason: 'wrong_password', empty: '' },
      });
      const bare = exampleRecord({
        actor: null,
        address: null,
        requestId: null,
        details: {},
        clientId: full.id,
      });
      await audit().append([full, bare]);
      expect(await audit().list({ accountId: full.accountId ?? '', limit: 10 })).toStrictEqual([full]);
      expect(await audit().list({ clientId: full.id, limit: 10 })).toStrictEqual([bare]);
    });

    it('stores each record once, however often it is appended, and new ones with it', async () => {
      const [known] = await append(1);
      if (!known) throw new Error('unreachable');
      const added = exampleRecord({ clientId: known.clientId, at: after(1) });
      await audit().append([known, added]);
      expect(idsOf(await audit().list({ clientId: clientOf([known]), limit: 10 }))).toEqual([
        added.id,
        known.id,
      ]);
    });

    it('stores records appended concurrently by several processes', async () => {
      const clientId = randomUUID();
      const another = (await storage.openAnother()).audit;
      const stores = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? audit() : another));
      await Promise.all(stores.map((store) => store.append([exampleRecord({ clientId })])));
      expect(await audit().list({ clientId, limit: 100 })).toHaveLength(20);
    });

    it('lists the newest first, and within a millisecond the last appended', async () => {
      const records = await append(5, { at: after(0) });
      expect(await audit().list({ clientId: clientOf(records), limit: 10 })).toStrictEqual(records);
    });

    it('pages without gaps or duplicates', async () => {
      const records = await append(7, { type: 'client.changed' });
      const pages: string[] = [];
      for (let beforeId: string | undefined; ; ) {
        const page = await audit().list({ clientId: clientOf(records), beforeId, limit: 3 });
        pages.push(...idsOf(page));
        beforeId = page.at(-1)?.id;
        if (page.length < 3) break;
      }
      expect(pages).toEqual(idsOf(records));
    });

    it('lists a time range that excludes its end', async () => {
      const records = await append(5);
      const listed = await audit().list({
        clientId: clientOf(records),
        since: after(1),
        until: after(3),
        limit: 10,
      });
      expect(listed.map(({ at }) => at)).toEqual([after(2), after(1)]);
    });

    it('filters by type, account and client, alone and combined', async () => {
      const [clientId, accountId] = [randomUUID(), randomUUID()];
      const records = [
        exampleRecord({ clientId, type: 'token.issued' }),
        exampleRecord({ clientId, accountId, type: 'token.reused' }),
        exampleRecord({ clientId: null, accountId, type: 'account.removed' }),
      ];
      const [issued = '', reused = '', removed = ''] = idsOf(records);
      await audit().append(records);
      const list = async (filters: object) => idsOf(await audit().list({ ...filters, limit: 2 }));

      expect(await list({})).toHaveLength(2);
      expect(await list({ types: ['account.removed'] })).toEqual([removed]);
      expect(await list({ types: ['token.reused', 'account.removed'] })).toEqual([removed, reused]);
      expect(await list({ types: [] })).toEqual([]);
      expect(await list({ clientId })).toEqual([reused, issued]);
      expect(await list({ accountId })).toEqual([removed, reused]);
      expect(await list({ accountId, clientId })).toEqual([reused]);
      expect(await list({ accountId, clientId, types: ['token.issued'] })).toEqual([]);
    });

    it('deletes the e-mail addresses of one account, and nothing else', async () => {
      const [accountId, clientId] = [randomUUID(), randomUUID()];
      const details = { from: 'ann@example.org', to: 'eve@example.org' };
      const records = [
        exampleRecord({ accountId, type: 'account.email_change_requested', details, at: after(1) }),
        exampleRecord({ accountId, type: 'account.email_changed', details, at: after(2) }),
        exampleRecord({ accountId, type: 'account.role_changed', details: { to: 'agent' }, at: after(3) }),
      ];
      const others = [
        exampleRecord({ accountId: clientId, clientId, type: 'account.email_changed', details }),
      ];
      await audit().append([...records, ...others]);
      await audit().deleteEmailAddresses(accountId);
      await audit().deleteEmailAddresses(accountId);
      const [requested, changed, role] = records;
      const kept = [role, { ...changed, details: {} }, { ...requested, details: {} }];
      expect(await audit().list({ accountId, limit: 9 })).toStrictEqual(kept);
      expect(await audit().list({ clientId, limit: 9 })).toStrictEqual(others);
    });

    it('prunes records before an instant, oldest first, up to the limit', async () => {
      await audit().prune(after(100), 10_000);
      const records = await append(5);
      expect(await audit().prune(after(4), 3)).toBe(3);
      expect(idsOf(await audit().list({ clientId: clientOf(records), limit: 9 }))).toEqual(
        idsOf(records.slice(0, 2)),
      );
      expect(await audit().prune(after(4), 3)).toBe(1);
      expect(await audit().prune(after(4), 3)).toBe(0);
      expect(await audit().list({ clientId: clientOf(records), limit: 9 })).toStrictEqual(
        records.slice(0, 1),
      );
    });
  });
}
