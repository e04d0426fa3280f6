import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { StorageCall } from '../../storage/other-process.fixture.ts';
import { exampleAccount } from './account.fixture.ts';
import { type Account, updateAccount } from './account.ts';
import type { AccountPage } from './account-store.ts';

const RACERS = 10;
const later = new Date('2026-03-01T13:00:00.456Z');

/** Contract of every account store. */
export function accountStoreContract(engine: Engine): void {
  describe('an account store', () => {
    const storage = useStorage(engine);
    const accounts = () => storage.get().accounts;

    async function insert(members?: Partial<Account>): Promise<Account> {
      const account = exampleAccount(members);
      expect(await accounts().insert(account)).toBe(true);
      return account;
    }

    it('returns every member of an account', async () => {
      const account = await insert({
        emailVerified: true,
        profile: {
          name: 'Ann Müller — 安',
          given_name: 'Ann',
          family_name: 'Müller',
          middle_name: 'B.',
          nickname: 'annie',
          preferred_username: 'ann',
          profile: 'https://ann.example/',
          picture: 'https://ann.example/me.png',
          website: 'https://ann.example/site?a=1&b=$2',
          gender: 'female',
          birthdate: '0000-03-22',
          zoneinfo: 'Europe/Berlin',
          locale: 'de-DE',
          phone_number: '+4930123456',
          address: {
            formatted: 'Street 1\n10115 Berlin',
            street_address: 'Street 1',
            locality: 'Berlin',
            region: 'BE',
            postal_code: '10115',
            country: 'DE',
          },
        },
        phoneNumberVerified: true,
        passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g',
        role: 'admin',
        status: 'disabled',
        updatedAt: later,
        passwordChangedAt: later,
        deletionDueAt: later,
        signInsEndedAt: later,
        credentialEpoch: 3,
        version: 7,
      });
      expect(await accounts().find(account.id)).toStrictEqual(account);
      expect(await accounts().findByEmail(account.email)).toStrictEqual(account);
    });

    it('returns empty and null members unchanged', async () => {
      const account = await insert({ profile: {}, passwordHash: null, passwordChangedAt: null });
      expect(await accounts().find(account.id)).toStrictEqual(account);
    });

    it('finds no account for an unknown id or address', async () => {
      await insert();
      expect(await accounts().find(randomUUID())).toBeUndefined();
      expect(await accounts().findByEmail('')).toBeUndefined();
      expect(await accounts().findByEmail('nobody@example.org')).toBeUndefined();
    });

    it('rejects an address that is in use and leaves its account unchanged', async () => {
      const owner = await insert();
      expect(await accounts().insert(exampleAccount({ email: owner.email }))).toBe(false);
      expect(await accounts().findByEmail(owner.email)).toStrictEqual(owner);
    });

    it('gives an address to one of several concurrent inserts', async () => {
      const email = `${randomUUID()}@example.org`;
      const racers = Array.from({ length: RACERS }, () => exampleAccount({ email }));
      const outcomes = await Promise.all(racers.map((racer) => accounts().insert(racer)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await accounts().findByEmail(email)).toStrictEqual(racers[outcomes.indexOf(true)]);
    });

    it('gives an address to one of several concurrent inserts of two processes', async () => {
      const email = `${randomUUID()}@example.org`;
      const calls = Array.from({ length: RACERS }, () => {
        return ['accounts', 'insert', exampleAccount({ email, id: randomUUID() })] as const;
      }) satisfies StorageCall[];
      const outcomes = await storage.raceInTwoProcesses(calls);
      expect(outcomes.flat().filter(Boolean)).toHaveLength(1);
    });

    it('replaces only the expected version', async () => {
      const account = await insert();
      const next = updateAccount(account, { role: 'agent', profile: { name: 'Ann' } }, later);
      expect(await accounts().replace(next, 2)).toBe('stale');
      expect(await accounts().find(account.id)).toStrictEqual(account);
      expect(await accounts().replace(next, 1)).toBe('replaced');
      expect(await accounts().find(account.id)).toStrictEqual(next);
      expect(await accounts().replace(next, 1)).toBe('stale');
    });

    it('does not replace an account that does not exist', async () => {
      const account = exampleAccount();
      expect(await accounts().replace(account, account.version)).toBe('stale');
      expect(await accounts().find(account.id)).toBeUndefined();
    });

    it('lets exactly one of several concurrent replacements in two processes succeed', async () => {
      const account = await insert();
      const calls = Array.from({ length: RACERS }, (_, i) => {
        return [
          'accounts',
          'replace',
          updateAccount(account, { profile: { name: `${i}` } }, later),
          1,
        ] as const;
      }) satisfies StorageCall[];
      const outcomes = (await storage.raceInTwoProcesses(calls)).flat();
      expect(outcomes.filter((outcome) => outcome === 'replaced')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'stale')).toHaveLength(2 * RACERS - 1);
    });

    it('does not give an account the address of another account', async () => {
      const [owner, other] = [await insert(), await insert()];
      const next = updateAccount(other, { email: owner.email }, later);
      expect(await accounts().replace(next, 1)).toBe('email_taken');
      expect(await accounts().find(other.id)).toStrictEqual(other);
      expect(await accounts().findByEmail(owner.email)).toStrictEqual(owner);
    });

    it('gives an address to one of several accounts that change to it concurrently', async () => {
      const email = `${randomUUID()}@example.org`;
      const racers = await Promise.all(Array.from({ length: RACERS }, () => insert()));
      const outcomes = await Promise.all(
        racers.map((racer) => accounts().replace(updateAccount(racer, { email }, later), 1)),
      );
      expect(outcomes.filter((outcome) => outcome === 'replaced')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'email_taken')).toHaveLength(RACERS - 1);
    });

    it('frees the previous address of an account', async () => {
      const account = await insert();
      await accounts().replace(updateAccount(account, { email: `${randomUUID()}@example.org` }, later), 1);
      expect(await accounts().findByEmail(account.email)).toBeUndefined();
      await insert({ email: account.email });
    });

    it('removes an account once, and frees its address', async () => {
      const account = await insert();
      expect(await accounts().remove(account.id)).toBe(true);
      expect(await accounts().remove(account.id)).toBe(false);
      expect(await accounts().find(account.id)).toBeUndefined();
      await insert({ email: account.email });
    });

    it('returns deeply frozen accounts', async () => {
      const account = await insert({ profile: { address: { country: 'DE' } } });
      const found = await accounts().find(account.id);
      for (const each of [found, found?.profile, found?.profile.address]) {
        expect(each).toBeDefined();
        expect(Object.isFrozen(each)).toBe(true);
      }
    });

    it('immediately reads what another process has written', async () => {
      const account = await insert();
      const other = (await storage.openAnother()).accounts;
      await other.replace(updateAccount(account, { role: 'agent' }, later), 1);
      expect(await accounts().find(account.id)).toMatchObject({ role: 'agent', version: 2 });
    });
  });

  describe('listing accounts', () => {
    const storage = useStorage(engine);
    const accounts = () => storage.get().accounts;

    const all = [
      { email: 'a@example.org', role: 'customer', status: 'active' },
      { email: 'ann+1@example.org', role: 'agent', status: 'active' },
      { email: 'ann@example.org', role: 'agent', status: 'disabled' },
      { email: 'anna@example.org', role: 'customer', status: 'disabled' },
      { email: 'bob@example.org', role: 'customer', status: 'active' },
      { email: 'z@example.org', role: 'admin', status: 'active' },
    ] as const;

    async function emailsOf(page: Partial<AccountPage>): Promise<string[]> {
      return (await accounts().list({ limit: 100, ...page })).map(({ email }) => email);
    }

    it('returns every account exactly once, page by page, ordered by address', async () => {
      await Promise.all(all.toReversed().map((members) => accounts().insert(exampleAccount(members))));
      const seen: string[] = [];
      for (;;) {
        const page = await emailsOf({ limit: 2, afterEmail: seen.at(-1) });
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(2);
        seen.push(...page);
      }
      expect(seen).toEqual(all.map(({ email }) => email));
    });

    it.each([
      { filter: { role: 'agent' }, found: ['ann+1@example.org', 'ann@example.org'] },
      { filter: { status: 'disabled' }, found: ['ann@example.org', 'anna@example.org'] },
      { filter: { role: 'customer', status: 'disabled' }, found: ['anna@example.org'] },
      { filter: { emailPrefix: 'ann' }, found: ['ann+1@example.org', 'ann@example.org', 'anna@example.org'] },
      { filter: { emailPrefix: 'ann@example.org' }, found: ['ann@example.org'] },
      { filter: { emailPrefix: 'ann', status: 'active' }, found: ['ann+1@example.org'] },
      { filter: { emailPrefix: 'ann', role: 'customer', status: 'active' }, found: [] },
      {
        filter: { emailPrefix: 'ann', afterEmail: 'ann+1@example.org', limit: 1 },
        found: ['ann@example.org'],
      },
      { filter: { emailPrefix: 'b', afterEmail: 'a@example.org' }, found: ['bob@example.org'] },
      { filter: { emailPrefix: '%' }, found: [] },
      { filter: { emailPrefix: '.*' }, found: [] },
    ] as const)('returns for $filter only $found', async ({ filter, found }) => {
      expect(await emailsOf(filter)).toEqual(found);
    });

    it('continues after an account that was removed in the meantime', async () => {
      const { id } = (await accounts().findByEmail('ann@example.org')) ?? { id: '' };
      await accounts().remove(id);
      expect(await emailsOf({ afterEmail: 'ann@example.org', limit: 1 })).toEqual(['anna@example.org']);
    });
  });
}
