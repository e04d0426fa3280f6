import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { StorageCall } from '../storage/other-process.fixture.ts';
import { now, securityEvent, soon } from './security-event.fixture.ts';
import type { SecurityEvent } from './security-event.ts';

const RACERS = 10;

/** Contract of every queue of security events. */
export function securityEventStoreContract(engine: Engine): void {
  describe('a queue of security events', () => {
    const storage = useStorage(engine);
    const events = () => storage.get().securityEvents;

    async function append(members: Partial<SecurityEvent> = {}): Promise<SecurityEvent> {
      const event = securityEvent(members);
      await events().append([event]);
      return event;
    }

    const dueIds = async (receiver: string, at = now) =>
      (await events().listDue(receiver, at, 100)).map(({ id }) => id);

    it('returns every member of an event until it is acknowledged, even after reopening', async () => {
      const event = await append();
      expect(await events().listDue(event.receiver, now, 10)).toStrictEqual([event]);
      const reopened = await storage.openAnother();
      expect(await reopened.securityEvents.listDue(event.receiver, now, 10)).toStrictEqual([event]);
    });

    it('returns events ordered by id, up to the limit', async () => {
      const receiver = uuidv7();
      const ids = Array.from({ length: 5 }, () => uuidv7());
      await events().append(ids.toReversed().map((id) => securityEvent({ id, receiver })));
      expect(await dueIds(receiver)).toEqual(ids);
      const first = await events().listDue(receiver, now, 3);
      expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    });

    it('adds all events of a call or none', async () => {
      const known = await append();
      const receiver = uuidv7();
      await expect(
        events().append([securityEvent({ receiver }), securityEvent({ id: known.id })]),
      ).rejects.toThrow();
      expect(await dueIds(receiver)).toEqual([]);
    });

    it('returns an event neither before it is available nor once it has expired, to the millisecond', async () => {
      const availableAt = new Date(now.getTime() + 1);
      const { id, receiver } = await append({ availableAt });
      expect(await dueIds(receiver)).toEqual([]);
      expect(await dueIds(receiver, availableAt)).toEqual([id]);
      expect(await dueIds(receiver, new Date(soon.getTime() - 1))).toEqual([id]);
      expect(await dueIds(receiver, soon)).toEqual([]);
    });

    it('removes and returns the acknowledged events of a receiver, and ignores all others', async () => {
      const receiver = uuidv7();
      const [one, two] = [await append({ receiver }), await append({ receiver })];
      const foreign = await append();
      expect(await events().acknowledge(receiver, [one.id, foreign.id, uuidv7()])).toStrictEqual([one]);
      expect(await events().acknowledge(receiver, [one.id])).toEqual([]);
      expect(await events().acknowledge(receiver, [])).toEqual([]);
      expect(await dueIds(receiver)).toEqual([two.id]);
      expect(await dueIds(foreign.receiver)).toEqual([foreign.id]);
    });

    it('lets one of several concurrent calls of two processes acknowledge an event', async () => {
      const { id, receiver } = await append();
      const calls = Array.from(
        { length: RACERS },
        () => ['securityEvents', 'acknowledge', receiver, [id]] as const,
      ) satisfies StorageCall[];
      expect((await storage.raceInTwoProcesses(calls)).flat(2)).toHaveLength(1);
    });

    it('delivers a rejected event no more, until it is retried', async () => {
      const event = await append();
      const { id, receiver } = event;
      const rejected = { ...event, rejection: 'invalid_key' };
      expect(await events().reject(uuidv7(), id, 'invalid_key')).toBeUndefined();
      expect(await events().reject(receiver, id, 'invalid_key')).toStrictEqual(rejected);
      expect(await events().reject(receiver, id, 'other')).toBeUndefined();
      expect(await dueIds(receiver)).toEqual([]);
      expect(await events().retry(id)).toBe(true);
      expect(await events().retry(id)).toBe(false);
      expect(await events().listDue(receiver, now, 10)).toStrictEqual([event]);
    });

    it('lists all events page by page, including rejected and unavailable ones', async () => {
      const added = [await append({ availableAt: soon }), await append({ rejection: 'other' })];
      const ids: string[] = [];
      for (let afterId: string | undefined; ; afterId = ids.at(-1)) {
        const page = await events().list({ afterId, limit: 3 });
        ids.push(...page.map(({ id }) => id));
        if (page.length < 3) break;
      }
      expect(ids).toEqual(ids.toSorted());
      expect(ids).toEqual(expect.arrayContaining(added.map(({ id }) => id)));
    });

    it('purges only expired events, up to the limit', async () => {
      await events().purgeExpired(soon, 1_000);
      const live = await append({ expiresAt: new Date(soon.getTime() + 1) });
      for (let i = 0; i < 5; i += 1) await append();
      expect(await events().purgeExpired(soon, 3)).toBe(3);
      expect(await events().purgeExpired(soon, 3)).toBe(2);
      expect(await events().purgeExpired(soon, 3)).toBe(0);
      expect(await dueIds(live.receiver, soon)).toEqual([live.id]);
    });
  });
}
