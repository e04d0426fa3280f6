import { hash, randomUUID } from 'node:crypto';
import { type AdapterPayload, errors } from 'oidc-provider';
import { describe, expect, it } from 'vitest';
import { storeUpstreamLogOut } from '../artifacts/upstream-log-outs.ts';
import { createSealer, deriveKey } from '../keys/sealing.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { createAdapterFactory } from './adapter.ts';

const sealer = createSealer(deriveKey('a-master-secret-of-some-length-0', 'tests'));
const TTL_SECONDS = 60;

const digest = (id: string) => hash('sha256', id, 'base64url');
const isRejected = ({ status }: PromiseSettledResult<unknown>) => status === 'rejected';
const settleTen = (race: () => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: 10 }, async () => race()));

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  let time = Date.parse('2026-03-01T12:00:00.000Z');

  function adapterOf(model: string) {
    const { artifacts } = storage.get();
    const findClient = async (id: string) => (id === 'known' ? { client_id: 'known' } : undefined);
    return createAdapterFactory({ artifacts, sealer, now: () => new Date(time), findClient })(model);
  }

  /** Issues a grant with a code and a refresh token. */
  async function issueFamily() {
    const [grantId, code, refreshToken] = [randomUUID(), randomUUID(), randomUUID()];
    await adapterOf('Grant').upsert(grantId, { jti: grantId, accountId: 'account' }, TTL_SECONDS);
    await adapterOf('AuthorizationCode').upsert(code, { jti: code, grantId }, TTL_SECONDS);
    await adapterOf('RefreshToken').upsert(refreshToken, { jti: refreshToken, grantId }, TTL_SECONDS);
    return { grantId, code, refreshToken };
  }

  describe('the adapter of oidc-provider', () => {
    it('returns the payload as it was stored', async () => {
      const id = randomUUID();
      const payload: AdapterPayload = {
        jti: id,
        kind: 'RefreshToken',
        iat: 1,
        exp: 2,
        accountId: 'account',
        clientId: 'client',
        grantId: 'grant',
        scope: 'openid tickets:read',
        claims: { id_token: { email: null } },
        resource: ['https://api.example'],
      };
      await adapterOf('RefreshToken').upsert(id, payload, TTL_SECONDS);
      expect(await adapterOf('RefreshToken').find(id)).toStrictEqual(payload);
      expect(await adapterOf('AuthorizationCode').find(id)).toBeUndefined();
    });

    it('finds a session by its uid and a device code by its user code', async () => {
      const [session, uid, device, userCode] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
      await adapterOf('Session').upsert(session, { jti: session, uid }, TTL_SECONDS);
      await adapterOf('DeviceCode').upsert(device, { jti: device, userCode }, TTL_SECONDS);
      expect(await adapterOf('Session').findByUid(uid)).toStrictEqual({ jti: session, uid });
      expect(await adapterOf('DeviceCode').findByUserCode(userCode)).toStrictEqual({ jti: device, userCode });
      expect(await adapterOf('Session').findByUid(session)).toBeUndefined();
    });

    it('finds nothing after expiry', async () => {
      const id = randomUUID();
      await adapterOf('Session').upsert(id, { jti: id }, TTL_SECONDS);
      time += TTL_SECONDS * 1000;
      expect(await adapterOf('Session').find(id)).toBeUndefined();
    });

    it('finds no session while the server blocks its id after the end of all sign-ins', async () => {
      const [id, expiresAt] = [randomUUID(), new Date(time + 1_000)];
      // A killed server leaves this record until it expires.
      const blocked = { model: 'Session', key: digest(id), payload: new Uint8Array(), expiresAt };
      await storage.get().artifacts.insertOnce(blocked, new Date(time));
      expect(await adapterOf('Session').find(id)).toBeUndefined();
    });

    it('keeps an artifact without a lifetime', async () => {
      const id = randomUUID();
      await adapterOf('InitialAccessToken').upsert(id, { jti: id });
      time += 10 * 365 * 24 * 3_600 * 1000;
      expect(await adapterOf('InitialAccessToken').find(id)).toStrictEqual({ jti: id });
    });

    it('returns when an artifact was consumed', async () => {
      const { refreshToken } = await issueFamily();
      await adapterOf('RefreshToken').consume(refreshToken);
      expect(await adapterOf('RefreshToken').find(refreshToken)).toMatchObject({
        consumed: Math.floor(time / 1000),
      });
    });

    it('reports a used code only on consumption, so that revoking its grant is audited (RFC 9700 §4.14.2)', async () => {
      const { grantId, code } = await issueFamily();
      const codes = adapterOf('AuthorizationCode');
      await codes.consume(code);
      expect(await codes.find(code)).not.toHaveProperty('consumed');
      await expect(codes.consume(code)).rejects.toThrow('invalid_grant');
      expect(await adapterOf('Grant').find(grantId)).toBeUndefined();
    });

    it('destroys everything issued under a grant, but neither the grant nor an interaction about it', async () => {
      const { grantId, code, refreshToken } = await issueFamily();
      const interaction = randomUUID();
      await adapterOf('Interaction').upsert(interaction, { jti: interaction, grantId }, TTL_SECONDS);
      await adapterOf('RefreshToken').revokeByGrantId(grantId);
      expect(await adapterOf('AuthorizationCode').find(code)).toBeUndefined();
      expect(await adapterOf('RefreshToken').find(refreshToken)).toBeUndefined();
      expect(await adapterOf('Grant').find(grantId)).toBeDefined();
      expect(await adapterOf('Interaction').find(interaction)).toBeDefined();
    });

    it('destroys everything under a grant when the grant is destroyed', async () => {
      const { grantId, refreshToken } = await issueFamily();
      await adapterOf('Grant').destroy(grantId);
      expect(await adapterOf('Grant').find(grantId)).toBeUndefined();
      expect(await adapterOf('RefreshToken').find(refreshToken)).toBeUndefined();
    });

    it('keeps a session ended when an in-flight request saves it again (OWASP ASVS 5.0 §7.4.1)', async () => {
      const [id, uid] = [randomUUID(), randomUUID()];
      const session = { jti: id, uid, accountId: randomUUID() };
      await adapterOf('Session').upsert(id, session, TTL_SECONDS);
      await adapterOf('Session').destroy(id);
      expect(await adapterOf('Session').find(id)).toBeUndefined();
      await adapterOf('Session').upsert(id, session, TTL_SECONDS);
      expect(await adapterOf('Session').find(id)).toBeUndefined();
      expect(await adapterOf('Session').findByUid(uid)).toBeUndefined();
    });

    it('ends a session that is stored after the log-out of its provider (Back-Channel Logout 1.0 §2.7)', async () => {
      const upstream = { issuer: 'https://idp.example', subject: randomUUID(), sid: randomUUID() };
      const store = async (receivedAt: number) => {
        const [id, uid] = [randomUUID(), randomUUID()];
        const session = { jti: id, uid, accountId: randomUUID(), upstream: { ...upstream, receivedAt } };
        await adapterOf('Session').upsert(id, session, TTL_SECONDS);
        return adapterOf('Session').find(id);
      };
      const { issuer, subject } = upstream;
      await storeUpstreamLogOut(storage.get().artifacts, { issuer, subject, isProven: true }, new Date(time));
      expect(await store(time - 1)).toBeUndefined();
      expect(await store(time + 1)).toBeDefined();
    });

    it('stores no content of an ended session and deletes its record within minutes', async () => {
      const [id, accountId] = [randomUUID(), randomUUID()];
      const { artifacts } = storage.get();
      await adapterOf('Session').upsert(id, { jti: id, uid: randomUUID(), accountId }, 86_400);
      await adapterOf('Session').destroy(id);
      const never = randomUUID();
      await adapterOf('Session').destroy(never);
      expect(await artifacts.find('Session', digest(never), new Date(time))).toBeUndefined();
      expect(await artifacts.findByAccount('Session', accountId, new Date(time))).toEqual([]);
      expect(await artifacts.find('Session', digest(id), new Date(time + 600_000))).toBeUndefined();
    });

    it('reads clients from the client domain and never writes them', async () => {
      expect(await adapterOf('Client').find('known')).toEqual({ client_id: 'known' });
      expect(await adapterOf('Client').find('unknown')).toBeUndefined();
      await expect(adapterOf('Client').upsert('new', {})).rejects.toThrow('client domain');
      await expect(adapterOf('Client').destroy('known')).rejects.toThrow('client domain');
    });
  });

  describe('consuming a single-use artifact (RFC 6749 §4.1.2, RFC 9700 §4.14.2)', () => {
    it('succeeds for one of ten concurrent calls and rejects the others with invalid_grant', async () => {
      const { refreshToken } = await issueFamily();
      const results = await settleTen(() => adapterOf('RefreshToken').consume(refreshToken));
      const refusals = results.filter(isRejected);
      expect(refusals).toHaveLength(9);
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({ reason: { error: 'invalid_grant', status: 400 } });
      }
    });

    it('revokes the grant and everything under it on second use', async () => {
      const { grantId, code, refreshToken } = await issueFamily();
      await adapterOf('AuthorizationCode').consume(code);
      await expect(adapterOf('AuthorizationCode').consume(code)).rejects.toThrow(errors.InvalidGrant);
      expect(await adapterOf('Grant').find(grantId)).toBeUndefined();
      expect(await adapterOf('RefreshToken').find(refreshToken)).toBeUndefined();
    });

    it('does not affect other grants', async () => {
      const [family, bystander] = [await issueFamily(), await issueFamily()];
      await settleTen(() => adapterOf('AuthorizationCode').consume(family.code));
      expect(await adapterOf('Grant').find(bystander.grantId)).toBeDefined();
      expect(await adapterOf('RefreshToken').find(bystander.refreshToken)).toBeDefined();
    });

    it('keeps the grant revoked, whatever concurrent requests still save', async () => {
      const { grantId, code } = await issueFamily();
      const grant = (await adapterOf('Grant').find(grantId)) ?? {};
      await adapterOf('AuthorizationCode').consume(code);
      await expect(adapterOf('AuthorizationCode').consume(code)).rejects.toThrow(errors.InvalidGrant);
      const winnersToken = randomUUID();
      await adapterOf('RefreshToken').upsert(winnersToken, { jti: winnersToken, grantId }, TTL_SECONDS);
      await expect(adapterOf('Grant').upsert(grantId, grant, TTL_SECONDS)).rejects.toThrow(
        errors.InvalidGrant,
      );
      expect(await adapterOf('Grant').find(grantId)).toBeUndefined();
    });

    it('rejects a used pushed request with invalid_request_uri (RFC 9126 §4)', async () => {
      const id = randomUUID();
      await adapterOf('PushedAuthorizationRequest').upsert(id, { jti: id }, TTL_SECONDS);
      await adapterOf('PushedAuthorizationRequest').consume(id);
      await expect(adapterOf('PushedAuthorizationRequest').consume(id)).rejects.toThrow(
        errors.InvalidRequestUri,
      );
    });
  });

  describe('replay detection (RFC 7523 §3, RFC 9449 §11.1)', () => {
    it('stores a jti for one of ten concurrent calls and rejects the others with 400', async () => {
      const jti = randomUUID();
      const results = await settleTen(() => adapterOf('ReplayDetection').upsert(jti, { jti }, TTL_SECONDS));
      const refusals = results.filter(isRejected);
      expect(refusals).toHaveLength(9);
      for (const refusal of refusals) expect(refusal).toMatchObject({ reason: { status: 400 } });
    });

    it('accepts a jti again only after a proof from a clock 300 s ahead has expired as well', async () => {
      const jti = randomUUID();
      const save = () => adapterOf('ReplayDetection').upsert(jti, { jti }, TTL_SECONDS);
      await save();
      time += (TTL_SECONDS + 299) * 1000;
      await expect(save()).rejects.toThrow(errors.InvalidRequest);
      time += 1_000;
      await save();
      expect(await adapterOf('ReplayDetection').find(jti)).toBeDefined();
    });
  });

  describe('a stolen database (RFC 6819 §5.1.4.1)', () => {
    it('contains digests, but no ids, uids, user codes, grants or contents', async () => {
      const secrets = {
        jti: 'the-id-of-a-session',
        uid: 'the-uid-of-a-session',
        userCode: 'THE-USER-CODE',
        grantId: 'the-id-of-a-grant',
        nonce: 'the-nonce',
        scope: 'the-scope',
        codeChallenge: 'the-code-challenge',
      };
      await adapterOf('Session').upsert(secrets.jti, secrets, TTL_SECONDS);
      const dump = await storage.database().dump();
      for (const secret of Object.values(secrets)) expect(dump.includes(secret)).toBe(false);
      for (const id of [secrets.jti, secrets.uid, secrets.userCode, secrets.grantId]) {
        expect(dump.includes(digest(id))).toBe(true);
      }
    });

    it('does not open a payload that was moved to another id or model', async () => {
      const { artifacts } = storage.get();
      const [own, stolen] = [await issueFamily(), await issueFamily()];
      const victim = await artifacts.find('RefreshToken', digest(stolen.refreshToken), new Date(time));
      const payload = victim?.payload ?? new Uint8Array();
      await artifacts.upsert({ model: 'RefreshToken', key: digest(own.refreshToken), payload });
      await artifacts.upsert({ model: 'AccessToken', key: digest(stolen.refreshToken), payload });
      await expect(adapterOf('RefreshToken').find(own.refreshToken)).rejects.toThrow('does not open');
      await expect(adapterOf('AccessToken').find(stolen.refreshToken)).rejects.toThrow('does not open');
      expect(await adapterOf('RefreshToken').find(stolen.refreshToken)).toBeDefined();
    });
  });
});
