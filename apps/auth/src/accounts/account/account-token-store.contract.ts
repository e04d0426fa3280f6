import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../../storage/engines.fixture.ts';
import type { StorageCall } from '../../storage/other-process.fixture.ts';
import { type AccountToken, createToken, digestOfToken } from './account-token-store.ts';

const RACERS = 10;
const now = new Date('2026-03-01T12:00:00.123Z');
const soon = new Date(now.getTime() + 60_000);

/** Contract of every store of mailed tokens. */
export function accountTokenStoreContract(engine: Engine): void {
  describe('a store of mailed tokens', () => {
    const storage = useStorage(engine);
    const tokens = () => storage.get().accountTokens;

    async function insert(members: Partial<AccountToken> = {}): Promise<AccountToken> {
      const token: AccountToken = {
        digest: digestOfToken(createToken()),
        purpose: 'reset_password',
        accountId: randomUUID(),
        email: 'ann@example.org',
        expiresAt: soon,
        ...members,
      };
      await tokens().insert(token);
      return token;
    }

    it('returns every member of a token, on every read', async () => {
      const token = await insert();
      expect(await tokens().find(token.digest, token.purpose, now)).toStrictEqual(token);
      expect(await tokens().find(token.digest, token.purpose, now)).toStrictEqual(token);
    });

    it('returns the instant since which a token undoes what was done', async () => {
      const token = await insert({ purpose: 'disown_sign_in', since: new Date(now.getTime() - 1) });
      expect(await tokens().find(token.digest, token.purpose, now)).toStrictEqual(token);
    });

    it('finds the earliest such instant of the tokens of an account that have not expired', async () => {
      const accountId = randomUUID();
      const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
      const purpose = 'disown_sign_in';
      await insert({ accountId, purpose, since: at(-20), expiresAt: at(20) });
      await insert({ accountId, purpose, since: at(-30), expiresAt: at(10) });
      await insert({ accountId });
      await insert({ purpose, since: at(-40) });
      expect(await tokens().findEarliestSince(accountId, at(9))).toStrictEqual(at(-30));
      expect(await tokens().findEarliestSince(accountId, at(10))).toStrictEqual(at(-20));
      expect(await tokens().findEarliestSince(accountId, at(20))).toBeUndefined();
    });

    it('redeems a token once', async () => {
      const token = await insert();
      expect(await tokens().redeem(token.digest, token.purpose, now)).toStrictEqual(token);
      expect(await tokens().redeem(token.digest, token.purpose, now)).toBeUndefined();
      expect(await tokens().find(token.digest, token.purpose, now)).toBeUndefined();
    });

    it('lets one of several concurrent calls redeem a token', async () => {
      const { digest, purpose } = await insert();
      const outcomes = await Promise.all(
        Array.from({ length: RACERS }, () => tokens().redeem(digest, purpose, now)),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
    });

    it('lets one of several concurrent calls of two processes redeem a token', async () => {
      const { digest, purpose } = await insert();
      const calls = Array.from({ length: RACERS }, () => {
        return ['accountTokens', 'redeem', digest, purpose, now] as const;
      }) satisfies StorageCall[];
      expect((await storage.raceInTwoProcesses(calls)).flat().filter(Boolean)).toHaveLength(1);
    });

    it('neither returns nor redeems a token for another purpose', async () => {
      const { digest, purpose } = await insert({ purpose: 'verify_email' });
      expect(await tokens().find(digest, 'reset_password', now)).toBeUndefined();
      expect(await tokens().redeem(digest, 'reset_password', now)).toBeUndefined();
      expect(await tokens().redeem(digest, purpose, now)).toBeDefined();
    });

    it('neither returns nor redeems a token that has expired, to the millisecond', async () => {
      const { digest, purpose } = await insert();
      expect(await tokens().find(digest, purpose, soon)).toBeUndefined();
      expect(await tokens().redeem(digest, purpose, soon)).toBeUndefined();
      expect(await tokens().redeem(digest, purpose, new Date(soon.getTime() - 1))).toBeDefined();
    });

    it('discards every token of an account and none of another', async () => {
      const accountId = randomUUID();
      const own = [await insert({ accountId }), await insert({ accountId, purpose: 'change_email' })];
      const other = await insert();
      await tokens().discard(accountId);
      for (const { digest, purpose } of own)
        expect(await tokens().find(digest, purpose, now)).toBeUndefined();
      expect(await tokens().find(other.digest, other.purpose, now)).toBeDefined();
    });

    it('keeps the tokens of one purpose when it discards the others', async () => {
      const accountId = randomUUID();
      const [kept, discarded] = [
        await insert({ accountId, purpose: 'disown_sign_in' }),
        await insert({ accountId }),
      ];
      await tokens().discard(accountId, { except: 'disown_sign_in' });
      expect(await tokens().find(kept.digest, kept.purpose, now)).toStrictEqual(kept);
      expect(await tokens().find(discarded.digest, discarded.purpose, now)).toBeUndefined();
    });

    it('redeems a token over all others of the account but earlier ones of its purpose', async () => {
      const accountId = randomUUID();
      const purpose = 'disown_sign_in';
      const at = (milliseconds: number) => new Date(soon.getTime() + milliseconds);
      const token = await insert({ accountId, purpose });
      const kept = [await insert({ accountId, purpose, expiresAt: at(-1) }), await insert({ purpose })];
      const discarded = [
        await insert({ accountId, purpose }),
        await insert({ accountId, purpose, expiresAt: at(1) }),
        await insert({ accountId, expiresAt: at(-1) }),
      ];
      expect(await tokens().redeemOverLater(token.digest, purpose, now)).toStrictEqual(token);
      for (const each of kept)
        expect(await tokens().find(each.digest, each.purpose, now)).toStrictEqual(each);
      for (const each of [token, ...discarded])
        expect(await tokens().find(each.digest, each.purpose, now)).toBeUndefined();
    });

    it('discards nothing if such a token has expired or was redeemed', async () => {
      const accountId = randomUUID();
      const other = await insert({ accountId, expiresAt: new Date(soon.getTime() + 1) });
      const { digest, purpose } = await insert({ accountId });
      expect(await tokens().redeemOverLater(digest, purpose, soon)).toBeUndefined();
      await tokens().redeem(digest, purpose, now);
      expect(await tokens().redeemOverLater(digest, purpose, now)).toBeUndefined();
      expect(await tokens().find(other.digest, other.purpose, now)).toStrictEqual(other);
    });

    it('lets one of the concurrent calls of two processes redeem a token over later ones', async () => {
      const { digest, purpose } = await insert();
      const calls = Array.from({ length: RACERS }, () => {
        return ['accountTokens', 'redeemOverLater', digest, purpose, now] as const;
      }) satisfies StorageCall[];
      expect((await storage.raceInTwoProcesses(calls)).flat().filter(Boolean)).toHaveLength(1);
    });

    it('purges only expired tokens, up to the limit', async () => {
      await tokens().purgeExpired(soon, 1_000);
      const live = await insert({ expiresAt: new Date(soon.getTime() + 1) });
      for (let i = 0; i < 5; i += 1) await insert();
      expect(await tokens().purgeExpired(soon, 3)).toBe(3);
      expect(await tokens().purgeExpired(soon, 3)).toBe(2);
      expect(await tokens().purgeExpired(soon, 3)).toBe(0);
      expect(await tokens().find(live.digest, live.purpose, soon)).toBeDefined();
    });

    it('stores no token in the clear', async () => {
      const token = createToken();
      await insert({ digest: digestOfToken(token) });
      const dump = await storage.database().dump();
      expect(dump.includes(digestOfToken(token))).toBe(true);
      expect(dump.includes(token)).toBe(false);
    });
  });
}
