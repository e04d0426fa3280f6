import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useStarted } from '@keydesk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { startOperatedServer } from '../operated-server.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'keydesk-'));
const providerFile = join(folder, 'providers.json');
const entry = { name: 'Acme Directory', issuer: 'https://login.acme.example', client_id: 'keydesk' };
const acme = { id: 'acme', client_authentication: 'none', ...entry };

describe('the commands about identities at other providers', () => {
  writeFileSync(providerFile, JSON.stringify({ providers: [acme] }));
  afterAll(() => rmSync(folder, { recursive: true }));
  const env = { IDENTITY_PROVIDERS_FILE: providerFile, MAIL_FOLDER: join(folder, 'mail') };
  const operated = useStarted(() => startOperatedServer(env));

  /** Adds an account with an identity at the provider; without a password unless stated. */
  async function addLinked(password?: string) {
    const { id, email } = await operated.server.addAccount({ password });
    const [identityId, subject] = [`0198-${id}`, `subject of ${id}`];
    const known = { id: identityId, providerId: 'acme', issuer: entry.issuer, subject };
    const identity = { ...known, label: 'ada@acme.example', linkedAt: new Date(), lastUsedAt: null };
    await operated.storage.identities.replace({ accountId: id, identities: [identity], version: 1 }, 0);
    return { id, email, identityId, subject };
  }
  const list = async (email: string) =>
    JSON.parse((await operated.run('account', 'identities', email, '--json')).stdout);

  it('list them by address and by id, and account show counts them', async () => {
    const { id, email, identityId, subject } = await addLinked();
    const listed = await list(email);
    expect(listed).toEqual([
      {
        identity_id: identityId,
        provider: 'acme',
        issuer: entry.issuer,
        subject,
        label: 'ada@acme.example',
        linked_at: expect.stringMatching(/Z$/),
        last_used_at: null,
      },
    ]);
    expect(await list(id)).toEqual(listed);
    expect((await operated.run('account', 'identities', email)).stdout).toContain('ada@acme.example');
    const shown = JSON.parse((await operated.run('account', 'show', email, '--json')).stdout);
    expect(shown).toMatchObject({ identities: 1, passkeys: 0, has_authenticator_app: false });
    expect((await operated.run('account', 'show', email)).stdout).toMatch(/identities +1\n/);
  });

  it('unlink one, record it, and mail the owner the name of the provider', async () => {
    const { id, email, identityId } = await addLinked('kindly yellow umbrella');
    const { code, stdout } = await operated.run('account', 'unlink', email, identityId);
    expect([code, stdout]).toEqual([0, `The identity at acme was unlinked from ${email}.\n`]);
    expect(await list(email)).toEqual([]);
    const types = ['account.identity_unlinked'] as const;
    const records = await operated.storage.audit.list({ accountId: id, types, limit: 5 });
    expect(records).toMatchObject([{ actor: 'operator', address: 'cli', details: { provider: 'acme' } }]);
    const mails = readdirSync(env.MAIL_FOLDER).map((name) =>
      readFileSync(join(env.MAIL_FOLDER, name), 'utf8'),
    );
    const [mail] = mails.filter((each) => each.includes(`To: ${email}`));
    expect(mail).toContain('An account at Acme Directory was unlinked');
  });

  it('leave the only way to sign in, unless forced', async () => {
    const { email, identityId } = await addLinked();
    const refused = await operated.run('account', 'unlink', email, identityId);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('pass --force')]);
    expect(await list(email)).toHaveLength(1);
    expect((await operated.run('account', 'unlink', email, identityId, '--force', '--json')).code).toBe(0);
    expect(await list(email)).toEqual([]);
  });

  it('reject the identity of another account', async () => {
    const [one, other] = [await addLinked(), await addLinked()];
    const { code, stderr } = await operated.run('account', 'unlink', one.email, other.identityId, '--force');
    expect([code, stderr]).toEqual([1, expect.stringContaining('see account identities')]);
    expect(await list(other.email)).toHaveLength(1);
  });
});
