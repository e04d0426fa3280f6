import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Engine, useStorage } from '../storage/engines.fixture.ts';
import type { StorageCall } from '../storage/other-process.fixture.ts';
import { after, artifact, isTrue, later, now, tenTimes } from './artifact.fixture.ts';
import { artifactRedemptionContract } from './artifact-redemption.contract.ts';
import { artifactRemovalContract } from './artifact-removal.contract.ts';
import type { Artifact } from './artifact-store.ts';

/** Contract of artifact stores. */
export function artifactStoreContract(engine: Engine): void {
  describe('an artifact store', () => {
    const storage = useStorage(engine);
    const artifacts = () => storage.get().artifacts;

    it('returns every member of a stored artifact', async () => {
      const written = artifact({
        payload: Buffer.from([0, 255, 1, 254]),
        grantKey: 'grant',
        uidKey: randomUUID(),
        userCodeKey: randomUUID(),
        accountId: 'account',
        clientId: 'client',
      });
      expect(await artifacts().upsert(written)).toBe(true);
      const found = await artifacts().find(written.model, written.key, now);
      expect(found).toEqual({ ...written, payload: expect.anything() });
      expect(Buffer.from(found?.payload ?? [])).toEqual(written.payload);
    });

    it('replaces every member of an artifact with the same model and key', async () => {
      const old = artifact({ grantKey: 'grant', uidKey: randomUUID(), accountId: 'account' });
      await artifacts().upsert(old);
      const { model, key } = old;
      await artifacts().upsert({ model, key, payload: Buffer.from('new') });
      const found = await artifacts().find(model, key, now);
      expect(found).toEqual({ model, key, payload: expect.anything() });
      expect(Buffer.from(found?.payload ?? []).toString()).toBe('new');
      expect(await artifacts().findByUid(old.uidKey ?? '', now)).toBeUndefined();
    });

    it('separates models', async () => {
      const code = artifact({ model: 'AuthorizationCode' });
      await artifacts().upsert(code);
      expect(await artifacts().find('RefreshToken', code.key, now)).toBeUndefined();
      await artifacts().destroy('RefreshToken', code.key);
      expect(await artifacts().consume('RefreshToken', code.key, now)).toBe(false);
      expect(await artifacts().find('AuthorizationCode', code.key, now)).toBeDefined();
    });

    it('accepts the first write of one artifact from many concurrent callers', async () => {
      const session = artifact({ model: 'Session' });
      expect(await tenTimes(() => artifacts().upsert(session))).toEqual(Array(10).fill(true));
    });

    it('finds nothing from the instant of expiry on, purged or not', async () => {
      const session = artifact({ uidKey: randomUUID(), userCodeKey: randomUUID() });
      await artifacts().upsert(session);
      const look = (at: Date) =>
        Promise.all([
          artifacts().find(session.model, session.key, at),
          artifacts().findByUid(session.uidKey ?? '', at),
          artifacts().findByUserCode(session.userCodeKey ?? '', at),
        ]);
      expect(await look(after(59_999))).not.toContain(undefined);
      expect(await look(later)).toEqual([undefined, undefined, undefined]);
    });

    it('finds an artifact without expiry at any time', async () => {
      const token = artifact({ expiresAt: undefined });
      await artifacts().upsert(token);
      expect(await artifacts().find(token.model, token.key, new Date('9999-01-01'))).toBeDefined();
    });

    it('finds by uid and by user code', async () => {
      const session = artifact({ model: 'Session', uidKey: randomUUID() });
      const device = artifact({ model: 'DeviceCode', userCodeKey: randomUUID() });
      await artifacts().upsert(session);
      await artifacts().upsert(device);
      expect(await artifacts().findByUid(session.uidKey ?? '', now)).toMatchObject({ key: session.key });
      expect(await artifacts().findByUserCode(device.userCodeKey ?? '', now)).toMatchObject({
        key: device.key,
      });
      expect(await artifacts().findByUid(device.userCodeKey ?? '', now)).toBeUndefined();
    });

    it('finds the live artifacts of one model and account', async () => {
      const accountId = randomUUID();
      const grant = (members: Partial<Artifact>) => artifact({ model: 'Grant', accountId, ...members });
      const [one, two, revoked] = [grant({}), grant({ clientId: 'client' }), grant({})];
      const others = [grant({ expiresAt: now }), grant({ accountId: randomUUID() }), artifact({ accountId })];
      await Promise.all([one, two, revoked, ...others].map((each) => artifacts().upsert(each)));
      await artifacts().revokeGrant(revoked.key, now);
      const found = await artifacts().findByAccount('Grant', accountId, now);
      expect(new Set(found.map(({ key }) => key))).toEqual(new Set([one.key, two.key]));
      const { payload, ...members } = two;
      const same = found.find(({ key }) => key === two.key);
      expect(same).toMatchObject(members);
      expect(Buffer.from(same?.payload ?? [])).toEqual(payload);
    });

    it('finds live artifacts of a model, up to the limit', async () => {
      const model = randomUUID();
      const [one, two] = [artifact({ model }), artifact({ model, expiresAt: undefined })];
      const others = [artifact({ model, expiresAt: now }), artifact({ model: `${model}s`, key: one.key })];
      await Promise.all([one, two, ...others].map((each) => artifacts().upsert(each)));
      const found = await artifacts().findByModel(model, now, 10);
      expect(new Set(found.map(({ key }) => key))).toEqual(new Set([one.key, two.key]));
      expect(await artifacts().findByModel(model, now, 1)).toHaveLength(1);
    });

    it('destroys an artifact; destroying an absent one has no effect', async () => {
      const token = artifact();
      await artifacts().upsert(token);
      await artifacts().destroy(token.model, token.key);
      await artifacts().destroy(token.model, token.key);
      expect(await artifacts().find(token.model, token.key, now)).toBeUndefined();
    });

    it('keeps all artifacts after reopening', async () => {
      const token = artifact();
      await artifacts().upsert(token);
      await artifacts().consume(token.model, token.key, now);
      const again = await storage.openAnother();
      expect(await again.artifacts.find(token.model, token.key, now)).toMatchObject({ consumedAt: now });
      expect(await again.artifacts.consume(token.model, token.key, now)).toBe(false);
    });
  });

  describe('consuming an artifact (RFC 6749 §4.1.2: codes are single-use)', () => {
    const storage = useStorage(engine);
    const artifacts = () => storage.get().artifacts;

    it('succeeds for exactly one of ten concurrent calls and never again', async () => {
      const code = artifact({ model: 'AuthorizationCode' });
      await artifacts().upsert(code);
      const results = await tenTimes((racer) => artifacts().consume(code.model, code.key, after(racer)));
      expect(results.filter(isTrue)).toHaveLength(1);
      expect(await artifacts().consume(code.model, code.key, after(10))).toBe(false);
      const consumedAt = after(results.indexOf(true));
      expect(await artifacts().find(code.model, code.key, now)).toMatchObject({ consumedAt });
    });

    it('succeeds exactly once per artifact across two processes', async () => {
      const codes = Array.from({ length: 20 }, () => artifact({ model: 'AuthorizationCode' }));
      await Promise.all(codes.map((code) => artifacts().upsert(code)));
      const calls = codes.flatMap(({ model, key }) =>
        Array.from({ length: 5 }, (_, i): StorageCall => ['artifacts', 'consume', model, key, after(i)]),
      );
      const results = await storage.raceInTwoProcesses(calls);
      const winners = calls.filter((_, i) => results.some((of) => of[i] === true)).map(([, , , key]) => key);
      expect(results.flat().filter(isTrue)).toHaveLength(codes.length);
      expect(new Set(winners).size).toBe(codes.length);
    });

    it('fails for an absent, expired or destroyed artifact', async () => {
      const code = artifact();
      expect(await artifacts().consume(code.model, code.key, now)).toBe(false);
      await artifacts().upsert(code);
      expect(await artifacts().consume(code.model, code.key, later)).toBe(false);
      await artifacts().destroy(code.model, code.key);
      expect(await artifacts().consume(code.model, code.key, now)).toBe(false);
    });

    it('stays consumed after the artifact is written again', async () => {
      const code = artifact({ model: 'DeviceCode' });
      await artifacts().upsert(code);
      await artifacts().consume(code.model, code.key, now);
      await artifacts().upsert(code);
      expect(await artifacts().consume(code.model, code.key, after(1))).toBe(false);
      expect(await artifacts().find(code.model, code.key, now)).toMatchObject({ consumedAt: now });
    });
  });

  describe('inserting once (RFC 7523 §3: a `jti` is not accepted twice)', () => {
    const storage = useStorage(engine);
    const artifacts = () => storage.get().artifacts;

    it('succeeds for exactly one of ten concurrent calls and never again', async () => {
      const jti = artifact({ model: 'ReplayDetection' });
      const results = await tenTimes(() => artifacts().insertOnce(jti, now));
      expect(results.filter(isTrue)).toHaveLength(1);
      expect(await artifacts().insertOnce(jti, now)).toBe(false);
    });

    it('succeeds exactly once per artifact across two processes', async () => {
      const jtis = Array.from({ length: 20 }, () => artifact({ model: 'ReplayDetection' }));
      const calls = jtis.flatMap((jti) =>
        Array.from({ length: 5 }, (): StorageCall => ['artifacts', 'insertOnce', jti, now]),
      );
      const results = await storage.raceInTwoProcesses(calls);
      expect(results.flat().filter(isTrue)).toHaveLength(jtis.length);
    });

    it('replaces an expired artifact for exactly one of ten concurrent calls', async () => {
      const jti = artifact({ model: 'ReplayDetection', expiresAt: later });
      await artifacts().insertOnce(jti, now);
      const next = { ...jti, expiresAt: after(120_000) };
      const results = await tenTimes(() => artifacts().insertOnce(next, later));
      expect(results.filter(isTrue)).toHaveLength(1);
      expect(await artifacts().find(jti.model, jti.key, later)).toBeDefined();
    });

    it('resets the consumption of a replaced artifact', async () => {
      const jti = artifact({ model: 'ReplayDetection' });
      await artifacts().insertOnce(jti, now);
      await artifacts().consume(jti.model, jti.key, now);
      await artifacts().insertOnce({ ...jti, expiresAt: after(120_000) }, later);
      expect(await artifacts().consume(jti.model, jti.key, later)).toBe(true);
    });

    it('never replaces an artifact without expiry', async () => {
      const jti = artifact({ model: 'ReplayDetection', expiresAt: undefined });
      expect(await artifacts().insertOnce(jti, now)).toBe(true);
      expect(await artifacts().insertOnce(jti, new Date('9999-01-01'))).toBe(false);
    });
  });

  artifactRedemptionContract(engine);
  artifactRemovalContract(engine);
}
