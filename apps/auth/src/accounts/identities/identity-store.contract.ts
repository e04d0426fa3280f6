import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { StorageCall } from '../../storage/other-process.fixture.ts';
import { updateDocument } from '../credentials/change-document.ts';
import { createIdentities, type Identities, type Identity } from './identities.ts';

const RACERS = 10;
const at = new Date('2026-03-01T12:00:00.123Z');

const createIdentity = (members: Partial<Identity> = {}): Identity => ({
  id: randomUUID(),
  providerId: 'acme',
  issuer: 'https://login.acme.example',
  subject: randomUUID(),
  label: 'ada@acme.example',
  linkedAt: at,
  lastUsedAt: null,
  ...members,
});

/** Contract of every store of identities. */
export function identityStoreContract(engine: Engine): void {
  describe('a store of identities', () => {
    const storage = useStorage(engine);
    const store = () => storage.get().identities;

    const createFull = (): Identities => ({
      ...createIdentities(randomUUID()),
      identities: [createIdentity(), createIdentity({ label: null, lastUsedAt: at })],
      version: 1,
    });

    async function insert(): Promise<Identities> {
      const full = createFull();
      expect(await store().replace(full, 0)).toBe('replaced');
      return full;
    }

    it('returns every member, on every read and after reopening', async () => {
      const full = await insert();
      expect(await store().find(full.accountId)).toStrictEqual(full);
      expect(await (await storage.openAnother()).identities.find(full.accountId)).toStrictEqual(full);
      expect(await store().find(randomUUID())).toBeUndefined();
    });

    it('returns frozen identities', async () => {
      const found = await store().find((await insert()).accountId);
      expect(Object.isFrozen(found) && Object.isFrozen(found?.identities[0])).toBe(true);
    });

    it('finds an account by issuer and subject together (OpenID Connect Core §5.7)', async () => {
      const full = await insert();
      const [{ issuer, subject } = createIdentity()] = full.identities;
      expect(await store().findByIdentity(issuer, subject)).toStrictEqual(full);
      expect(await store().findByIdentity('https://other.example', subject)).toBeUndefined();
      expect(await store().findByIdentity(issuer, randomUUID())).toBeUndefined();
      expect(await store().findByIdentity(`${issuer} ${subject}`, '')).toBeUndefined();
    });

    it('distinguishes subjects that differ only in case', async () => {
      const subject = randomUUID();
      const owner = { ...createFull(), identities: [createIdentity({ subject: `a${subject}` })] };
      await store().replace(owner, 0);
      const { issuer } = createIdentity();
      expect(await store().findByIdentity(issuer, `A${subject}`)).toBeUndefined();
    });

    it('replaces only the expected version', async () => {
      const full = await insert();
      const next = updateDocument(full, { identities: full.identities.slice(1) });
      expect(await store().replace(next, 0)).toBe('stale');
      expect(await store().replace(next, 2)).toBe('stale');
      expect(await store().find(full.accountId)).toStrictEqual(full);
      expect(await store().replace(next, 1)).toBe('replaced');
      expect(await store().find(full.accountId)).toStrictEqual(next);
      expect(await store().replace(createFull(), 1)).toBe('stale');
    });

    it('frees a removed identity for another account, and refuses one in use', async () => {
      const [one, other] = [await insert(), await insert()];
      const [moved = createIdentity()] = one.identities;
      const taken = updateDocument(other, { identities: [...other.identities, moved] });
      expect(await store().replace(taken, 1)).toBe('identity_taken');
      expect(await store().replace({ ...createFull(), identities: [moved] }, 0)).toBe('identity_taken');
      expect(await store().find(other.accountId)).toStrictEqual(other);
      await store().replace(updateDocument(one, { identities: one.identities.slice(1) }), 1);
      expect(await store().replace(taken, 1)).toBe('replaced');
      expect(await store().findByIdentity(moved.issuer, moved.subject)).toStrictEqual(taken);
    });

    it('stores any number of accounts without identities', async () => {
      for (let i = 0; i < 3; i += 1) {
        const empty = { ...createIdentities(randomUUID()), version: 1 };
        expect(await store().replace(empty, 0)).toBe('replaced');
      }
    });

    it('removes identities once, and frees them', async () => {
      const full = await insert();
      expect(await store().remove(full.accountId)).toBe(true);
      expect(await store().remove(full.accountId)).toBe(false);
      expect(await store().replace({ ...createFull(), identities: full.identities }, 0)).toBe('replaced');
    });

    it('links an identity to one of the accounts that two processes link it to concurrently', async () => {
      const identities = [createIdentity()];
      const calls = Array.from({ length: RACERS }, () => {
        return ['identities', 'replace', { ...createFull(), identities }, 0] as const;
      }) satisfies StorageCall[];
      const outcomes = (await storage.raceInTwoProcesses(calls)).flat();
      expect(outcomes.filter((each) => each === 'replaced')).toHaveLength(1);
      // The processes race with the same accounts, so a loser may also find another version of its own.
      expect(outcomes.filter((each) => each === 'identity_taken' || each === 'stale')).toHaveLength(
        2 * RACERS - 1,
      );
    });

    it.each([0, 1])('lets one of the concurrent calls replace version %i', async (version) => {
      const full = version === 0 ? createFull() : await insert();
      const next = { ...full, version: version + 1 };
      const calls = Array.from({ length: RACERS }, () => {
        return ['identities', 'replace', next, version] as const;
      }) satisfies StorageCall[];
      const outcomes = (await storage.raceInTwoProcesses(calls)).flat();
      expect(outcomes.filter((each) => each === 'replaced')).toHaveLength(1);
      expect(outcomes.filter((each) => each === 'stale')).toHaveLength(2 * RACERS - 1);
    });
  });
}
