import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { StorageCall } from '../../storage/other-process.fixture.ts';
import { updateDocument } from '../credentials/change-document.ts';
import { createFactors, type Factors } from './factors.ts';
import { createPasskey } from './passkey.fixture.ts';

const RACERS = 10;
const at = new Date('2026-03-01T12:00:00.123Z');

/** Contract of every store of factors. */
export function factorStoreContract(engine: Engine): void {
  describe('a store of factors', () => {
    const storage = useStorage(engine);
    const factors = () => storage.get().factors;

    const createFull = (): Factors => ({
      ...createFactors(randomUUID()),
      totp: { sealedSecret: 'c2VhbGVk', lastStep: 58_000_000, createdAt: at },
      recoveryCodes: [
        { digest: 'ZGlnZXN0', createdAt: at, usedAt: null },
        { digest: 'b3RoZXI', usedAt: at },
      ],
      passkeys: [createPasskey(), createPasskey({ lastUsedAt: at, isSynced: true })],
      trustedDevices: [
        {
          id: randomUUID(),
          digest: 'ZGV2aWNl',
          description: 'Firefox on Linux',
          credentialEpoch: 2,
          createdAt: at,
          expiresAt: new Date(at.getTime() + 1),
        },
      ],
      graceStartedAt: at,
      version: 1,
    });

    async function insert(): Promise<Factors> {
      const full = createFull();
      expect(await factors().replace(full, 0)).toBe('replaced');
      return full;
    }

    it('returns every member, on every read and after reopening', async () => {
      const full = await insert();
      expect(await factors().find(full.accountId)).toStrictEqual(full);
      expect(await (await storage.openAnother()).factors.find(full.accountId)).toStrictEqual(full);
      expect(await factors().find(randomUUID())).toBeUndefined();
    });

    it('returns frozen factors', async () => {
      const found = await factors().find((await insert()).accountId);
      expect(Object.isFrozen(found) && Object.isFrozen(found?.passkeys[0]?.transports)).toBe(true);
    });

    it('replaces only the expected version', async () => {
      const full = await insert();
      const next = updateDocument(full, { totp: null, trustedDevices: [] });
      expect(await factors().replace(next, 0)).toBe('stale');
      expect(await factors().replace(next, 2)).toBe('stale');
      expect(await factors().find(full.accountId)).toStrictEqual(full);
      expect(await factors().replace(next, 1)).toBe('replaced');
      expect(await factors().find(full.accountId)).toStrictEqual(next);
    });

    it('does not insert at any version but 0', async () => {
      const full = createFull();
      expect(await factors().replace(full, 1)).toBe('stale');
      expect(await factors().find(full.accountId)).toBeUndefined();
    });

    it.each([0, 1])(
      'lets one of the concurrent calls of two processes replace version %i',
      async (version) => {
        const full = version === 0 ? createFull() : await insert();
        const next = { ...full, version: version + 1 };
        const calls = Array.from({ length: RACERS }, () => {
          return ['factors', 'replace', next, version] as const;
        }) satisfies StorageCall[];
        const outcomes = (await storage.raceInTwoProcesses(calls)).flat();
        expect(outcomes.filter((each) => each === 'replaced')).toHaveLength(1);
        expect(outcomes.filter((each) => each === 'stale')).toHaveLength(2 * RACERS - 1);
      },
    );

    it('finds the factors by each of their passkeys', async () => {
      const full = await insert();
      for (const { id } of full.passkeys) expect(await factors().findByPasskey(id)).toStrictEqual(full);
      expect(await factors().findByPasskey(randomUUID())).toBeUndefined();
    });

    it('no longer finds a removed passkey, and finds an added one', async () => {
      const full = await insert();
      const added = createPasskey();
      const next = updateDocument(full, { passkeys: [...full.passkeys.slice(1), added] });
      await factors().replace(next, 1);
      expect(await factors().findByPasskey(full.passkeys[0]?.id ?? '')).toBeUndefined();
      expect(await factors().findByPasskey(added.id)).toStrictEqual(next);
    });

    it('refuses a passkey of another account (WebAuthn §7.1)', async () => {
      const [one, other] = [await insert(), await insert()];
      const passkeys = [...other.passkeys, ...one.passkeys.slice(0, 1)];
      expect(await factors().replace(updateDocument(other, { passkeys }), 1)).toBe('passkey_taken');
      expect(await factors().replace({ ...createFull(), passkeys }, 0)).toBe('passkey_taken');
      expect(await factors().find(other.accountId)).toStrictEqual(other);
    });

    it('stores any number of accounts without passkeys', async () => {
      for (let i = 0; i < 3; i += 1) {
        const empty = { ...createFactors(randomUUID()), version: 1 };
        expect(await factors().replace(empty, 0)).toBe('replaced');
        expect(await factors().find(empty.accountId)).toStrictEqual(empty);
      }
    });

    it('removes factors once, and frees their passkeys', async () => {
      const full = await insert();
      expect(await factors().remove(full.accountId)).toBe(true);
      expect(await factors().remove(full.accountId)).toBe(false);
      expect(await factors().findByPasskey(full.passkeys[0]?.id ?? '')).toBeUndefined();
      expect(await factors().replace({ ...createFull(), passkeys: full.passkeys }, 0)).toBe('replaced');
    });
  });
}
