import { createSecretKey, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { assembleClients } from '../../composition/clients.ts';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import type { Client } from '../client.ts';
import { MAX_REASON_LENGTH, type TrustProposal } from './trust-request.ts';

const derived = { clientSecrets: createSecretKey(randomBytes(32)) };
const agent: TrustProposal = { kind: 'role', role: 'agent', reason: ' Imports tickets at night. ' };
const verification: TrustProposal = { kind: 'verification', role: null, reason: 'We print your tickets.' };
const approved = { status: 'approved' } as const;
const rejected = { status: 'rejected', reason: 'An agent sees too much.' } as const;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const clients = () => assembleClients({ storage: storage.get(), derived, now: () => new Date() });
  /** The use cases on another connection, as in another process. */
  const otherProcess = async () =>
    assembleClients({ storage: await storage.openAnother(), derived, now: () => new Date() });

  async function register(type: 'machine' | 'web' = 'machine'): Promise<Client> {
    const redirectUris = type === 'web' ? ['https://app.example/callback'] : [];
    const request = { type, name: 'Importer', scopes: ['tickets:read'], redirectUris };
    return (await clients().register(request, { id: uuidv7(), limit: 1 })).client;
  }
  async function ask(proposal: TrustProposal = agent, type?: 'machine' | 'web') {
    const { id } = await register(type);
    const { trustRequests } = await clients().requestTrust(id, proposal);
    return { id, requestId: trustRequests[proposal.kind]?.id ?? '' };
  }
  const pendingIds = async () =>
    (await Array.fromAsync(clients().listPendingRequests())).map(({ request }) => request.id);

  describe('a trust request', () => {
    it('is pending and listed until an operator approves it, which grants the role', async () => {
      const { id, requestId } = await ask();
      expect(await clients().get(id)).toMatchObject({
        role: null,
        trustRequests: { role: { status: 'pending', role: 'agent', reason: 'Imports tickets at night.' } },
      });
      expect(await pendingIds()).toContain(requestId);
      expect(await clients().decideTrustRequest(requestId, approved)).toMatchObject({
        id,
        role: 'agent',
        isVerified: false,
        trustRequests: { role: { status: 'approved', closedAt: expect.any(Date) } },
      });
      expect(await pendingIds()).not.toContain(requestId);
    });

    it('for verification grants only verification', async () => {
      const { requestId } = await ask(verification, 'web');
      const decided = await clients().decideTrustRequest(requestId, approved);
      expect(decided).toMatchObject({ role: null, isVerified: true });
    });

    it('that is rejected grants nothing, stores the reason, and can be made again', async () => {
      const { id, requestId } = await ask();
      expect(await clients().decideTrustRequest(requestId, rejected)).toMatchObject({
        role: null,
        trustRequests: { role: { status: 'rejected', decisionReason: rejected.reason } },
      });
      const { trustRequests } = await clients().requestTrust(id, { ...agent, role: 'customer' });
      expect(trustRequests.role).toMatchObject({ status: 'pending', role: 'customer', decisionReason: null });
    });

    it('is limited to one pending of each kind', async () => {
      const { id } = await ask();
      await expect(clients().requestTrust(id, agent)).rejects.toMatchObject({ code: 'conflict' });
      await clients().requestTrust(id, verification);
      expect((await clients().get(id)).trustRequests).toMatchObject({
        role: { status: 'pending' },
        verification: { status: 'pending' },
      });
    });

    it.each([
      ['a role for a web client', 'web', agent, 'kind'],
      ['no role', 'machine', { ...agent, role: null }, 'role'],
      ['no reason', 'machine', { ...agent, reason: ' ' }, 'reason'],
      ['a long reason', 'machine', { ...agent, reason: 'x'.repeat(MAX_REASON_LENGTH + 1) }, 'reason'],
      [
        'a reason with a bidirectional override (UAX #9)',
        'machine',
        { ...agent, reason: 'a\u202eb' },
        'reason',
      ],
      ['a reason with terminal controls', 'machine', { ...agent, reason: 'a\u001b[2J' }, 'reason'],
    ] as const)('is rejected with %s', async (_, type, proposal, field) => {
      const { id } = await register(type);
      await expect(clients().requestTrust(id, proposal)).rejects.toMatchObject({
        code: 'validation_failed',
        errors: [{ field }],
      });
    });

    it('is rejected for trust that the client already has', async () => {
      const { id } = await register();
      await clients().setRole(id, 'agent');
      await clients().setVerified(id, true);
      for (const proposal of [agent, verification])
        await expect(clients().requestTrust(id, proposal)).rejects.toMatchObject({
          code: 'validation_failed',
        });
    });

    it('is approved by the command that grants the same trust, and by no other', async () => {
      const { id } = await ask();
      await clients().requestTrust(id, verification);
      expect((await clients().setRole(id, 'customer')).trustRequests.role?.status).toBe('pending');
      const { trustRequests } = await clients().setRole(id, 'agent');
      expect(trustRequests).toMatchObject({
        role: { status: 'approved' },
        verification: { status: 'pending' },
      });
      const verified = await clients().setVerified(id, true);
      expect(verified.trustRequests.verification?.status).toBe('approved');
    });
  });

  describe('a trust request that changes while an operator decides', () => {
    const isConflict = expect.objectContaining({ code: 'conflict' });

    it('is decided once when two operators decide concurrently on two connections', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id, requestId } = await ask();
        const results = await Promise.allSettled([
          clients().decideTrustRequest(requestId, approved),
          (await otherProcess()).decideTrustRequest(requestId, rejected),
        ]);
        const [won] = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
        const lost = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
        expect(lost).toEqual([isConflict]);
        expect(await clients().get(id)).toEqual(won);
        expect(won?.role).toBe(won?.trustRequests.role?.status === 'approved' ? 'agent' : null);
      }
    });

    it('is either withdrawn or approved in a race', async () => {
      const { id, requestId } = await ask();
      const results = await Promise.allSettled([
        clients().withdrawTrustRequest(id, requestId),
        (await otherProcess()).decideTrustRequest(requestId, approved),
      ]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const { role, trustRequests } = await clients().get(id);
      expect(role).toBe(trustRequests.role?.status === 'approved' ? 'agent' : null);
    });

    it('is not approved by a decision about an earlier request, because each has its own id', async () => {
      const { id, requestId } = await ask({ ...agent, role: 'customer' });
      await clients().withdrawTrustRequest(id, requestId);
      await clients().requestTrust(id, { ...agent, role: 'admin' });
      await expect(clients().decideTrustRequest(requestId, approved)).rejects.toEqual(isConflict);
      expect((await clients().get(id)).role).toBeNull();
    });

    it.each([agent, verification])(
      'is withdrawn when the client gets another name: $kind',
      async (proposal) => {
        const { id, requestId } = await ask(proposal);
        const edit = { name: 'Your Bank', scopes: ['tickets:read'] };
        const { trustRequests } = await clients().edit(id, edit, 2);
        expect(trustRequests[proposal.kind]?.status).toBe('withdrawn');
        await expect(clients().decideTrustRequest(requestId, approved)).rejects.toEqual(isConflict);
        expect(await clients().get(id)).toMatchObject({ role: null, isVerified: false });
      },
    );

    it('is removed with its client', async () => {
      const { id, requestId } = await ask();
      await clients().remove(id);
      expect(await pendingIds()).not.toContain(requestId);
      await expect(clients().decideTrustRequest(requestId, approved)).rejects.toEqual(isConflict);
    });
  });
});
