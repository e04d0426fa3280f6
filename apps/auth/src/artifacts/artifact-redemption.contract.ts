import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { StorageCall } from '../storage/other-process.fixture.ts';
import { after, artifact, isTrue, later, now, tenTimes } from './artifact.fixture.ts';
import type { Artifact, Exchange } from './artifact-store.ts';

const exchange = (members: Partial<Exchange> = {}): Exchange => ({ issued: artifact(), ...members });
const answer = (text: string, expiresAt = later) => ({ payload: Buffer.from(text), expiresAt });

/** Contract of artifact stores for redeeming refresh tokens. */
export function artifactRedemptionContract(engine: Engine): void {
  describe('redeeming a refresh token (RFC 9700 §4.14.2: rotation)', () => {
    const storage = useStorage(engine);
    const artifacts = () => storage.get().artifacts;
    const findAnswer = async ({ key }: Artifact, at = now) => {
      const found = await artifacts().findAnswer(key, at);
      return found && Buffer.from(found).toString();
    };

    it('succeeds for exactly one of ten concurrent calls and writes only its result', async () => {
      const token = artifact();
      await artifacts().upsert(token);
      const given = Array.from({ length: 10 }, (_, racer) => exchange({ answer: answer(`to ${racer}`) }));
      const results = await tenTimes((racer) =>
        artifacts().redeem(token.key, after(racer), given[racer] ?? exchange()),
      );
      expect(results.filter(isTrue)).toHaveLength(1);
      expect(await artifacts().redeem(token.key, after(10), exchange())).toBe(false);
      expect(await artifacts().consume(token.model, token.key, after(10))).toBe(false);
      const consumedAt = after(results.indexOf(true));
      expect(await artifacts().find(token.model, token.key, now)).toMatchObject({ consumedAt });
      const written = await Promise.all(
        given.map(({ issued: { model, key } }) => artifacts().find(model, key, now)),
      );
      expect(written.map(Boolean)).toEqual(results);
      expect(await findAnswer(token)).toBe(`to ${results.indexOf(true)}`);
    });

    it('returns the response of each token until it expires, and of no other token', async () => {
      const [one, two, unanswered] = [artifact(), artifact(), artifact()];
      await Promise.all([one, two, unanswered].map((each) => artifacts().upsert(each)));
      const redeem = ({ key }: Artifact, members: Partial<Exchange>) =>
        artifacts().redeem(key, now, exchange(members));
      await redeem(one, { answer: answer('to one', after(1_000)) });
      await redeem(two, { answer: answer('to two', after(2_000)) });
      await redeem(unanswered, {});
      expect(await findAnswer(one, after(999))).toBe('to one');
      expect(await findAnswer(one, after(1_000))).toBeUndefined();
      expect(await artifacts().purgeExpired(after(1_000), 100)).toBeGreaterThan(0);
      expect(await findAnswer(one)).toBeUndefined();
      expect(await findAnswer(two)).toBe('to two');
      expect(await findAnswer(unanswered)).toBeUndefined();
    });

    it('does not return a later response for a token whose own has been purged', async () => {
      const [early, late] = [artifact(), artifact()];
      await Promise.all([early, late].map((each) => artifacts().upsert(each)));
      const ofEarly = exchange({ answer: answer('to early', now) });
      await artifacts().redeem(early.key, now, ofEarly);
      while ((await artifacts().purgeExpired(now, 1_000)) > 0);
      const ofLate = exchange({ answer: answer('to late') });
      await artifacts().redeem(late.key, now, ofLate);
      expect(await findAnswer(early)).toBeUndefined();
      expect(await findAnswer(late)).toBe('to late');
    });

    it('deletes the response together with the redeemed token', async () => {
      const grantKey = randomUUID();
      const [token, issued] = [artifact({ grantKey }), artifact({ grantKey })];
      await artifacts().upsert(token);
      await artifacts().redeem(token.key, now, { issued, answer: answer('x') });
      expect(await findAnswer(token)).toBe('x');
      await artifacts().revokeGrant(grantKey, now);
      expect(await findAnswer(token)).toBeUndefined();
    });

    it('succeeds exactly once per token across two processes', async () => {
      // Few, so that ten conflicting calls for each end within the time limit of retries on a busy machine.
      const tokens = Array.from({ length: 5 }, () => artifact());
      await Promise.all(tokens.map((token) => artifacts().upsert(token)));
      const calls = tokens.flatMap(({ key }) =>
        Array.from({ length: 5 }, (_, i): StorageCall => ['artifacts', 'redeem', key, after(i), exchange()]),
      );
      const results = await storage.raceInTwoProcesses(calls);
      expect(results.flat().filter(isTrue)).toHaveLength(tokens.length);
    });

    it('writes nothing and consumes nothing if one of the writes fails', async () => {
      const [token, issued] = [artifact(), artifact()];
      const broken = { payload: undefined as never, expiresAt: later };
      await artifacts().upsert(token);
      const redeem = (given: Exchange) => artifacts().redeem(token.key, now, given);
      await expect(redeem({ issued, answer: broken })).rejects.toThrow();
      expect(await artifacts().find(issued.model, issued.key, now)).toBeUndefined();
      expect(await redeem({ issued })).toBe(true);
    });

    it('writes nothing for an absent, expired or destroyed token', async () => {
      const [token, issued] = [artifact(), artifact()];
      expect(await artifacts().redeem(token.key, now, { issued })).toBe(false);
      await artifacts().upsert(token);
      expect(await artifacts().redeem(token.key, later, { issued })).toBe(false);
      await artifacts().destroy(token.model, token.key);
      expect(await artifacts().redeem(token.key, now, { issued })).toBe(false);
      expect(await artifacts().find(issued.model, issued.key, now)).toBeUndefined();
    });
  });
}
