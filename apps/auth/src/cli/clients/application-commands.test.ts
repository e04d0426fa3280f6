import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import type { TrustProposal } from '../../clients/trust/trust-request.ts';
import { startMailbox } from '../../web/account/mailbox.fixture.ts';
import { startOperatedServer } from '../operated-server.fixture.ts';

const agent: TrustProposal = { kind: 'role', role: 'agent', reason: 'Imports tickets at night.' };
const verification: TrustProposal = { kind: 'verification', role: null, reason: 'We print your tickets.' };

describe('the application commands', () => {
  const mailbox = useStarted(startMailbox);
  const operated = useStarted(async () => {
    const env = { SMTP_URL: mailbox.config.smtpUrl ?? '', BRAND_COLOR: '#a01020', SERVICE_NAME: 'Acme Help' };
    return startOperatedServer(env);
  });
  const run = (...args: string[]) => operated.run(...args);

  async function ask(proposal: TrustProposal, locale = 'en') {
    const owner = await operated.server.addAccount({ locale });
    const request = { type: 'machine' as const, name: 'Importer', scopes: ['tickets:read'] };
    const { client } = await operated.server.clients.register(request, { id: owner.id, limit: 1 });
    const { trustRequests } = await operated.server.clients.requestTrust(client.id, proposal);
    return { id: client.id, requestId: trustRequests[proposal.kind]?.id ?? '', email: owner.email };
  }
  const typesOf = async (clientId: string) =>
    (await operated.storage.audit.list({ clientId, limit: 10 })).map(({ type, actor }) => `${type} ${actor}`);

  it('list pending requests with their reasons', async () => {
    const { id, requestId } = await ask(agent);
    const { stdout } = await run('application', 'list', '--pending');
    expect(stdout).toMatch(
      new RegExp(`${requestId} +role agent +pending .* ${id} +Importer +Imports tickets`),
    );
    const listed = JSON.parse((await run('application', 'list', '--pending', '--json')).stdout);
    expect(listed).toContainEqual(
      expect.objectContaining({
        id: requestId,
        kind: 'role',
        role: 'agent',
        client_id: id,
        status: 'pending',
      }),
    );
    await run('application', 'approve', requestId);
    expect((await run('application', 'list', '--pending')).stdout).not.toContain(requestId);
    expect((await run('application', 'list')).stdout).toContain(requestId);
  });

  it('approve a role, notify all owners in the brand color, and record it', async () => {
    const { id, requestId, email } = await ask(agent);
    const coOwner = await operated.server.addAccount();
    await operated.server.clients.addCoOwner(id, coOwner.id);
    const { code, stdout } = await run('application', 'approve', requestId, '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      id: requestId,
      status: 'approved',
      mailed: true,
    });
    expect((await operated.server.clients.get(id)).role).toBe('agent');
    const [mail] = await mailbox.mailsTo(email);
    expect(mail?.body).toContain('now has the role agent');
    expect(mail?.body).toContain(`/account/developer/applications/${id}`);
    expect(mail?.body).toContain('#a01020');
    expect((await mailbox.mailsTo(coOwner.email))[0]?.body).toContain('now has the role agent');
    expect(await typesOf(id)).toEqual(['client.role_changed operator', 'client.trust_approved operator']);
  });

  it('reject with a reason, mailed in the language of the developer', async () => {
    const { id, requestId, email } = await ask(verification, 'de');
    expect((await run('application', 'reject', requestId)).code).toBe(2);
    const rejected = await run('application', 'reject', requestId, '--reason', 'Bitte mit Impressum.');
    expect(rejected).toMatchObject({ code: 0, stdout: expect.stringContaining('is rejected') });
    expect((await operated.server.clients.get(id)).isVerified).toBe(false);
    const [mail] = await mailbox.mailsTo(email);
    expect(mail?.body).toContain('Bitte mit Impressum.');
    expect(mail?.body).toContain('nicht als geprüft anerkannt');
    expect(await typesOf(id)).toEqual(['client.trust_rejected operator']);
  });

  it('decide a request once and reject unknown ones', async () => {
    const { requestId } = await ask(verification);
    expect((await run('application', 'approve', requestId)).code).toBe(0);
    for (const id of [requestId, 'nothing'])
      expect(await run('application', 'reject', id, '--reason', 'Too late.')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^The request .* is not pending/),
      });
  });

  it('count a request as approved after a matching client set-role or client verify', async () => {
    const role = await ask(agent);
    expect((await run('client', 'set-role', role.id, 'agent')).code).toBe(0);
    const verified = await ask(verification);
    expect((await run('client', 'verify', verified.id)).code).toBe(0);
    for (const { id, requestId, email } of [role, verified]) {
      expect((await run('application', 'list', '--pending')).stdout).not.toContain(requestId);
      expect(await typesOf(id)).toContain('client.trust_approved operator');
      await mailbox.mailsTo(email);
    }
  });
});
