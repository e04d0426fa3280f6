import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startMailbox } from '../../web/account/mailbox.fixture.ts';
import { startOperatedServer } from '../operated-server.fixture.ts';

describe('the commands that manage owners of applications', () => {
  const mailbox = useStarted(startMailbox);
  const operated = useStarted(() => startOperatedServer({ SMTP_URL: mailbox.config.smtpUrl ?? '' }));
  const run = (...args: string[]) => operated.run('application', ...args);

  async function register() {
    const { server } = operated;
    const [owner, other] = [await server.addAccount(), await server.addAccount({ name: 'Ada Lovelace' })];
    const request = { type: 'machine' as const, name: 'Importer', scopes: ['tickets:read'] };
    const { client } = await server.clients.register(request, { id: owner.id, limit: 1 });
    return { id: client.id, owner, other };
  }
  const ownersOf = async (id: string) => {
    const { owner, coOwners } = await operated.server.clients.get(id);
    return [owner, ...coOwners.map(({ accountId }) => accountId)];
  };
  const recordsOf = async (clientId: string) =>
    (await operated.storage.audit.list({ clientId, limit: 10 })).map(({ type, actor }) => `${type} ${actor}`);

  it('list the owner, the co-owners and the invitations', async () => {
    const { id, owner, other } = await register();
    await operated.server.clients.addCoOwner(id, other.id);
    await operated.server.clients.invite(id, {
      id: 'i1',
      email: 'bob@example.org',
      digest: 'x',
      invitedBy: owner.id,
      expiresAt: new Date(Date.now() + 60_000),
    });
    const { stdout } = await run('owners', id);
    expect(stdout).toMatch(new RegExp(`owner +${owner.email} .*\\n.*co-owner +${other.email} +since`));
    expect(stdout).toMatch(/invited +bob@example.org +until/);
    expect(JSON.parse((await run('owners', id, '--json')).stdout)).toMatchObject({
      client_id: id,
      owner: { account_id: owner.id, email: owner.email },
      co_owners: [{ account_id: other.id, name: 'Ada Lovelace' }],
      invitations: [{ id: 'i1', email: 'bob@example.org', invited_by: owner.id }],
    });
    expect((await operated.run('client', 'show', id)).stdout).toMatch(new RegExp(`co-owner +${other.id}`));
  });

  it('add and remove a co-owner, notify them and record it', async () => {
    const { id, owner, other } = await register();
    const { code, stdout } = await run('add-co-owner', id, other.email);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`owner +${owner.email} .*\\n.*co-owner +${other.email} +since`));
    expect(await ownersOf(id)).toEqual([owner.id, other.id]);
    expect((await mailbox.mailsTo(owner.email))[0]?.body).toContain(`${other.email} is now a co-owner`);
    expect(await run('remove-co-owner', id, other.id)).toMatchObject({ code: 0 });
    expect(await ownersOf(id)).toEqual([owner.id]);
    expect((await mailbox.mailsTo(other.email))[0]?.body).toContain('no longer a co-owner');
    expect(await recordsOf(id)).toEqual([
      'client.co_owner_removed operator',
      'client.co_owner_added operator',
    ]);
  });

  it('change the owner, even from a disabled account and from the operator', async () => {
    const { id, owner, other } = await register();
    expect(await run('set-owner', id, other.email)).toMatchObject({ code: 0 });
    expect(await ownersOf(id)).toEqual([other.id, owner.id]);
    expect((await mailbox.mailsTo(other.email))[0]?.body).toContain(`${other.email} is now the owner`);
    expect(await recordsOf(id)).toEqual(['client.owner_changed operator']);

    const left = await register();
    await operated.server.accounts.disable(left.owner.id, { address: 'cli', actor: 'operator' });
    await run('set-owner', left.id, left.other.email);
    expect(await ownersOf(left.id)).toEqual([left.other.id]);

    const { id: own } = await operated.server.addClient();
    await run('set-owner', own, other.email);
    expect(await operated.server.clients.get(own)).toMatchObject({
      owner: other.id,
      coOwners: [],
      isVerified: false,
    });
  });

  it('reject accounts that cannot be owners, and clients without owners', async () => {
    const { id, owner, other } = await register();
    const refusal = (text: string) => ({ code: 1, stderr: expect.stringContaining(text) });
    expect(await run('set-owner', id, owner.email)).toMatchObject(
      refusal('already an owner or co-owner of the application'),
    );
    expect(await run('add-co-owner', id, 'nobody@example.org')).toMatchObject(refusal('No account matches'));
    expect(await run('remove-co-owner', id, other.email)).toMatchObject(refusal('is not a co-owner'));
    await operated.server.accounts.disable(other.id, { address: 'cli', actor: 'operator' });
    for (const verb of ['set-owner', 'add-co-owner'])
      expect(await run(verb, id, other.email)).toMatchObject(refusal('is disabled'));
    const { id: device } = await operated.server.addClient({ type: 'device', role: null });
    expect(await run('set-owner', device, owner.email)).toMatchObject(refusal('has the type device'));
    expect(await ownersOf(id)).toEqual([owner.id]);
  });
});
