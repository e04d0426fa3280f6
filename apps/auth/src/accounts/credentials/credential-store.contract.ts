import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { StorageCall } from '../../storage/other-process.fixture.ts';
import { exampleAccount } from '../account/account.fixture.ts';
import { createFactors } from '../factors/factors.ts';
import { createPasskey } from '../factors/passkey.fixture.ts';
import { createIdentities } from '../identities/identities.ts';
import type { Credentials } from './credential-store.ts';

const RACERS = 5;

/** Contract of every store of credentials. */
export function credentialStoreContract(engine: Engine): void {
  describe('a store of credentials', () => {
    const storage = useStorage(engine);

    const createIdentity = () => ({
      id: randomUUID(),
      providerId: 'acme',
      issuer: 'https://login.acme.example',
      subject: randomUUID(),
      label: null,
      linkedAt: new Date('2026-03-01T12:00:00.123Z'),
      lastUsedAt: null,
    });

    /** Adds an account with a password, a passkey and an identity. */
    async function add(): Promise<Credentials> {
      const { accounts, factors, identities } = storage.get();
      const account = exampleAccount({ passwordHash: '$argon2id$…' });
      const own = {
        account,
        factors: { ...createFactors(account.id), passkeys: [createPasskey()], version: 1 },
        identities: { ...createIdentities(account.id), identities: [createIdentity()], version: 1 },
      };
      await accounts.insert(account);
      await factors.replace(own.factors, 0);
      await identities.replace(own.identities, 0);
      return own;
    }

    async function read({ account: { id } }: Credentials) {
      const { accounts, factors, identities } = storage.get();
      const found = [accounts.find(id), factors.find(id), identities.find(id)] as const;
      const [account, ownFactors, ownIdentities] = await Promise.all(found);
      return { account, factors: ownFactors, identities: ownIdentities };
    }

    const toNext = ({ account, factors, identities }: Credentials): Credentials => ({
      account: { ...account, version: account.version + 1 },
      factors: { ...factors, version: factors.version + 1 },
      identities: { ...identities, version: identities.version + 1 },
    });
    const withoutPassword = ({ account, ...others }: Credentials): Credentials => ({
      ...others,
      account: { ...account, passwordHash: null },
    });

    it('replaces the three documents, and frees removed passkeys and identities', async () => {
      const own = await add();
      const { account, factors, identities } = toNext(withoutPassword(own));
      const next = {
        account,
        factors: { ...factors, passkeys: [] },
        identities: { ...identities, identities: [] },
      };
      expect(await storage.get().credentials.replaceAll(next)).toBe('replaced');
      expect(await read(own)).toStrictEqual(next);
      const [passkey] = own.factors.passkeys;
      expect(await storage.get().factors.findByPasskey(passkey?.id ?? '')).toBeUndefined();
      const [identity] = own.identities.identities;
      const found = await storage
        .get()
        .identities.findByIdentity(identity?.issuer ?? '', identity?.subject ?? '');
      expect(found).toBeUndefined();
    });

    it('creates documents that do not exist, which other processes then find changed', async () => {
      const account = exampleAccount();
      await storage.get().accounts.insert(account);
      const none = {
        account,
        factors: createFactors(account.id),
        identities: createIdentities(account.id),
      };
      expect(await storage.get().credentials.replaceAll(toNext(none))).toBe('replaced');
      expect(await read(none)).toStrictEqual(toNext(none));
      expect(await storage.get().credentials.replaceAll(toNext(none))).toBe('stale');
    });

    it.each(['account', 'factors', 'identities'] as const)(
      'writes nothing if %s has another version',
      async (name) => {
        const own = await add();
        const next = toNext(withoutPassword(own));
        const stale = { ...next, [name]: { ...next[name], version: next[name].version + 1 } };
        expect(await storage.get().credentials.replaceAll(stale)).toBe('stale');
        expect(await read(own)).toStrictEqual(own);
      },
    );

    it('writes nothing if another account has the address', async () => {
      const own = await add();
      const { email } = exampleAccount();
      await storage.get().accounts.insert({ ...exampleAccount(), email });
      const { account, factors, identities } = toNext(own);
      const next = { account: { ...account, email }, factors: { ...factors, passkeys: [] }, identities };
      expect(await storage.get().credentials.replaceAll(next)).toBe('stale');
      expect(await read(own)).toStrictEqual(own);
    });

    it('lets one of the concurrent calls of two processes replace, whatever each removes', async () => {
      const own = await add();
      const next = toNext(own);
      const removals = [
        withoutPassword(next),
        { ...next, factors: { ...next.factors, passkeys: [] } },
        { ...next, identities: { ...next.identities, identities: [] } },
      ];
      const calls = Array.from({ length: RACERS * removals.length }, (_, index) => {
        return ['credentials', 'replaceAll', removals[index % removals.length] ?? next] as const;
      }) satisfies StorageCall[];
      const outcomes = (await storage.raceInTwoProcesses(calls)).flat();
      expect(outcomes.filter((each) => each === 'replaced')).toHaveLength(1);
      expect(outcomes.filter((each) => each === 'stale')).toHaveLength(2 * calls.length - 1);
      expect(await storage.get().accounts.find(own.account.id)).toMatchObject({ version: 2 });
    });
  });
}
