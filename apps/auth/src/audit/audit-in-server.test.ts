import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@keydesk/server';
import { useStarted } from '@keydesk/testing';
import { tokenRevocation } from 'openid-client';
import { describe, expect, it, vi } from 'vitest';
import type { AccountEvent } from '../accounts/account/account-event.ts';
import { deriveKeys } from '../keys/derived-keys.ts';
import { createAdapterFactory } from '../provider/adapter.ts';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import {
  authorize,
  createRequest,
  obtainTokens,
  REDIRECT_URI,
  startJourney,
} from '../tests/people.fixture.ts';
import { basic, masterSecret, startTestServer } from '../tests/test-server.fixture.ts';
import { createAudit } from './audit.ts';
import type { AuditRecord } from './audit-event.ts';
import type { AuditPage } from './audit-store.ts';
import { createProviderAudit } from './provider-audit.ts';
import { toAuditEvent } from './recorders.ts';

const DAY_MS = 86_400_000;

/** Generous limit that only a hanging test reaches. */
const patient = { timeout: 30_000 };
const silent = createLogger({ name: 'test', level: 'silent', isPretty: false });

onEveryEngine((engine) => {
  describe('the audit log of a server', () => {
    const storage = useStorage(engine);
    const config = { purgeIntervalSeconds: 1 };
    const server = useStarted(() => startTestServer(storage.get(), { config }));

    /** Waits until records exist and returns them. */
    async function recorded(page: Partial<AuditPage>): Promise<readonly AuditRecord[]> {
      const list = () => storage.get().audit.list({ limit: 10, ...page });
      await vi.waitUntil(async () => (await list()).length > 0, patient);
      return list();
    }

    const issue = (headers: Record<string, string>) =>
      server.requestToken({ grant_type: 'client_credentials', scope: 'tickets:read' }, headers);

    it('records an issued token with its client, scope, origin and request', async () => {
      const { id, secret } = await server.addClient();
      const response = await issue(basic(id, secret));
      const { access_token } = (await response.json()) as { access_token: string };
      const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
      const [record] = await recorded({ clientId: id });
      expect(record).toEqual({
        id: expect.any(String),
        at: expect.any(Date),
        type: 'token.issued',
        actor: id,
        accountId: null,
        clientId: id,
        address: '127.0.0.1',
        requestId: response.headers.get('x-request-id'),
        details: {
          grant_type: 'client_credentials',
          resource: 'https://api.example',
          scope: 'tickets:read',
          jti: claims.jti,
        },
      });
    });

    it.each(['/request', '/token/introspection', '/token/revocation'])(
      'records a wrong client secret at %s',
      async (path) => {
        const { id } = await server.addClient();
        const headers = basic(id, 'kdcs_wrong');
        await fetch(server.url + path, {
          method: 'POST',
          headers,
          body: new URLSearchParams({ token: 'x' }),
        });
        const [record] = await recorded({ clientId: id });
        expect(record).toMatchObject({ type: 'client.authentication_failed', actor: null });
      },
    );

    it('records failed client authentication without an actor', async () => {
      const { id } = await server.addClient();
      await issue(basic(id, 'kdcs_wrong'));
      expect(await recorded({ clientId: id })).toMatchObject([
        {
          type: 'client.authentication_failed',
          actor: null,
          address: '127.0.0.1',
          details: { error: 'invalid_client', reason: 'invalid secret provided' },
        },
      ]);
    });

    it('records a rejected token request', async () => {
      const { id, secret } = await server.addClient();
      const form = { grant_type: 'client_credentials', scope: 'root' };
      await server.requestToken(form, basic(id, secret));
      expect(await recorded({ clientId: id })).toMatchObject([
        { type: 'token.refused', actor: id, details: { error: 'invalid_scope' } },
      ]);
    });

    it('records the keys that the server created', async () => {
      const [record] = await recorded({ types: ['keys.changed'] });
      const kids = (await storage.get().keys.load()).keys.map(({ kid }) => kid);
      expect(record?.details.created?.split(' ').sort()).toEqual(kids.sort());
      expect(record).toMatchObject({ actor: null, address: null });
    });

    it('records a reused code before it is rejected (RFC 9700 §4.14.2)', async () => {
      const audit = createAudit({ store: storage.get().audit, log: silent });
      const { tokenReused } = createProviderAudit({ audit, now: () => new Date() });
      const factory = createAdapterFactory({
        artifacts: storage.get().artifacts,
        sealer: deriveKeys(masterSecret).artifacts,
        now: () => new Date(),
        findClient: async () => undefined,
        onReuse: tokenReused,
      });
      const codes = factory('AuthorizationCode');
      const [code, accountId, clientId] = [randomUUID(), randomUUID(), randomUUID()];
      await codes.upsert(code, { accountId, clientId, grantId: randomUUID() }, 60);
      await codes.consume(code);
      await expect(codes.consume(code)).rejects.toThrow('invalid_grant');
      expect(await storage.get().audit.list({ accountId, limit: 10 })).toMatchObject([
        { type: 'token.reused', actor: clientId, clientId, details: { kind: 'AuthorizationCode' } },
      ]);
      await audit.stop();
    });

    it.each(['later', 'at once'])(
      'records a code that is redeemed again %s, with its owner (RFC 9700 §4.14.2)',
      async (when) => {
        const journey = await startJourney(server);
        const request = await createRequest(journey);
        const code = (await authorize(journey, request)).searchParams.get('code') ?? '';
        const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code };
        const redeem = async () =>
          (
            await server.requestToken(
              { ...form, code_verifier: request.verifier },
              basic(journey.clientId, journey.clientSecret),
            )
          ).status;
        const statuses =
          when === 'later' ? [await redeem(), await redeem()] : await Promise.all([redeem(), redeem()]);
        expect(statuses.sort()).toEqual([200, 400]);
        const { accountId, clientId } = journey;
        const reused = await storage.get().audit.list({ types: ['token.reused'], clientId, limit: 5 });
        expect(reused).toMatchObject([
          { actor: clientId, accountId, address: '127.0.0.1', details: { kind: 'AuthorizationCode' } },
        ]);
      },
    );

    it('records a revocation before the response (RFC 7009 §2.2), however slow the database', async () => {
      const { audit } = storage.get();
      const append: typeof audit.append = async (records) => {
        await sleep(300);
        await audit.append(records);
      };
      const slow = await startTestServer({ ...storage.get(), audit: { ...audit, append } });
      const journey = await startJourney(slow);
      const { refresh_token: token = '' } = await obtainTokens(journey);
      await tokenRevocation(journey.application, token);
      const types = ['token.revoked', 'grant.revoked'] as const;
      expect(await audit.list({ clientId: journey.clientId, types, limit: 5 })).not.toEqual([]);
      await slow.stop();
    });

    it('deletes records older than the retention period', async () => {
      const { id, secret } = await server.addClient();
      await issue(basic(id, secret));
      await recorded({ clientId: id });
      server.time.ahead = 366 * DAY_MS;
      const isGone = async () => (await storage.get().audit.list({ clientId: id, limit: 1 })).length === 0;
      await vi.waitUntil(isGone, patient);
      server.time.ahead = 0;
    });

    it('contains no secret, token or assertion, whichever field it was sent in', async () => {
      const own = await startTestServer(storage.get());
      const { id, secret } = await own.addClient();
      const issued = await own.requestToken({ grant_type: 'client_credentials' }, basic(id, secret));
      const { access_token } = (await issued.json()) as { access_token: string };
      const lure = `kdcs_${randomUUID()}`;
      const forms = [
        { grant_type: lure },
        { grant_type: 'client_credentials', client_id: lure, client_secret: lure },
        { grant_type: 'client_credentials', client_id: id, client_secret: lure },
        { grant_type: 'client_credentials', client_id: id, client_assertion: lure },
        { grant_type: 'refresh_token', refresh_token: lure, client_id: id, client_secret: secret ?? '' },
        { grant_type: 'client_credentials', scope: lure, client_id: id, client_secret: secret ?? '' },
        { grant_type: 'client_credentials', resource: `https://${lure}.example` },
        { grant_type: 'client_credentials', [lure]: lure, code: lure, password: lure },
      ];
      for (const form of forms) await own.requestToken(form);
      for (const form of forms) await own.requestToken(form, basic(id, secret));
      await own.stop();
      const records = await storage.get().audit.list({ limit: 1_000 });
      expect(records.length).toBeGreaterThan(forms.length);
      const dump = await storage.database().dump();
      for (const hidden of [lure, secret ?? '', access_token]) {
        expect(JSON.stringify(records)).not.toContain(hidden);
        expect(dump.includes(hidden)).toBe(false);
      }
    });
  });
});

describe('an account event', () => {
  const happened: AccountEvent = {
    type: 'account.role_changed',
    at: new Date(),
    accountId: 'account',
    origin: { address: '192.0.2.1', requestId: 'request', clientId: 'client' },
    details: { from: 'agent', to: 'admin' },
  };

  it('has the account owner as actor unless another one is given', () => {
    expect(toAuditEvent(happened)).toEqual({
      type: 'account.role_changed',
      at: happened.at,
      actor: 'account',
      accountId: 'account',
      clientId: 'client',
      address: '192.0.2.1',
      requestId: 'request',
      details: { from: 'agent', to: 'admin' },
    });
    const byOperator = { ...happened, origin: { address: 'cli', actor: 'operator' } };
    expect(toAuditEvent(byOperator)).toMatchObject({ actor: 'operator', clientId: null, requestId: null });
  });

  it.each([
    'account.sign_in_failed',
    'account.sign_in_limited',
    'account.second_factor_requested',
    'account.second_factor_failed',
    'account.second_factor_limited',
    'account.sign_up_repeated',
    'account.password_reset_requested',
  ] as const)('has no actor if anyone could have caused it: %s', (type) => {
    expect(toAuditEvent({ ...happened, type })).toMatchObject({ actor: null, accountId: 'account' });
  });
});
