import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { StorageCall } from '../../storage/other-process.fixture.ts';
import type { InitialAccessToken } from './initial-access-token-store.ts';
import { createOpaqueToken, toDigest } from './opaque-token.ts';
import type { Registration } from './registration-store.ts';

const RACERS = 10;
const now = new Date('2026-03-01T12:00:00.123Z');
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);

/** Contract suite of stores of initial access tokens. */
export function initialAccessTokenStoreContract(engine: Engine): void {
  describe('a store of initial access tokens', () => {
    const storage = useStorage(engine);
    const tokens = () => storage.get().initialAccessTokens;

    async function insert(members: Partial<InitialAccessToken> = {}): Promise<InitialAccessToken> {
      const digest = toDigest(createOpaqueToken('initial'));
      const token = {
        id: uuidv7(),
        digest,
        name: 'partner — Ü',
        usesLeft: 2,
        createdAt: now,
        expiresAt: minutes(1),
      };
      await tokens().insert({ ...token, ...members });
      return { ...token, ...members };
    }

    it('stores every member of a token, and lists tokens ordered by id', async () => {
      const [first, second] = [await insert(), await insert({ usesLeft: 1 })];
      expect(await tokens().find(first.digest, now)).toStrictEqual(first);
      expect(await tokens().list()).toStrictEqual([first, second]);
    });

    it('gives out exactly the number of uses in a race of two processes', async () => {
      const { digest } = await insert({ usesLeft: 3 });
      const call: StorageCall = ['initialAccessTokens', 'takeUse', digest, now];
      const outcomes = await storage.raceInTwoProcesses(Array.from({ length: RACERS }, () => call));
      expect(outcomes.flat().filter((isTaken) => isTaken === true)).toHaveLength(3);
      expect((await tokens().find(digest, now))?.usesLeft).toBe(0);
    });

    it('does not find a token from the instant of its expiry, even before it is purged', async () => {
      const { digest, expiresAt } = await insert();
      expect(await tokens().find(digest, expiresAt)).toBeUndefined();
      expect(await tokens().takeUse(digest, expiresAt)).toBe(false);
      expect(await tokens().purgeExpired(minutes(0.5), 10)).toBe(0);
      expect(await tokens().purgeExpired(expiresAt, 10)).toBeGreaterThan(0);
      expect(await tokens().list()).toEqual([]);
    });

    it('removes a token once', async () => {
      const { id } = await insert();
      expect([await tokens().remove(id), await tokens().remove(id)]).toEqual([true, false]);
    });
  });
}

/** Contract suite of stores of registrations. */
export function registrationStoreContract(engine: Engine): void {
  describe('a store of registrations', () => {
    const storage = useStorage(engine);
    const registrations = () => storage.get().registrations;

    async function insert(members: Partial<Registration> = {}): Promise<Registration> {
      const registration = {
        clientId: uuidv7(),
        tokenDigest: toDigest(randomUUID()),
        createdAt: now,
        activeAt: now,
        ...members,
      };
      await registrations().insert(registration);
      return registration;
    }

    it('stores every member of a registration', async () => {
      const registration = await insert({ activeAt: minutes(1) });
      expect(await registrations().find(registration.clientId)).toStrictEqual(registration);
      expect(await registrations().find('nobody')).toBeUndefined();
    });

    it('replaces a token exactly once in a race of two processes', async () => {
      const { clientId, tokenDigest } = await insert();
      const calls = Array.from(
        { length: RACERS },
        (): StorageCall => ['registrations', 'replaceToken', clientId, tokenDigest, toDigest(randomUUID())],
      );
      const outcomes = await storage.raceInTwoProcesses(calls);
      expect(outcomes.flat().filter((isReplaced) => isReplaced === true)).toHaveLength(1);
    });

    it('records the latest activity, and ignores clients without a registration', async () => {
      const { clientId } = await insert();
      await registrations().recordActivity(clientId, minutes(2));
      await registrations().recordActivity(clientId, minutes(1));
      await registrations().recordActivity('nobody', minutes(1));
      expect((await registrations().find(clientId))?.activeAt).toEqual(minutes(2));
      expect(await registrations().find('nobody')).toBeUndefined();
    });

    it('lists idle registrations, the longest idle first', async () => {
      const idle = [await insert({ activeAt: minutes(-30) }), await insert({ activeAt: minutes(-20) })];
      await insert({ activeAt: minutes(-10) });
      expect(await registrations().listIdle(minutes(-10), 10)).toStrictEqual(idle);
      expect(await registrations().listIdle(minutes(-10), 1)).toStrictEqual(idle.slice(0, 1));
    });

    it('removes a registration once', async () => {
      const { clientId } = await insert();
      expect([await registrations().remove(clientId), await registrations().remove(clientId)]).toEqual([
        true,
        false,
      ]);
    });
  });
}
