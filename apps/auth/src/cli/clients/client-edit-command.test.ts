import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../tests/processes.fixture.ts';
import { startOperatedServer } from '../operated-server.fixture.ts';

describe('keydesk client edit', () => {
  const operated = useStarted(startOperatedServer);
  const run = (...args: string[]) => operated.run('client', ...args);
  const toJson = ({ stdout, stderr }: { stdout: string; stderr: string }) => {
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const addPayroll = async () =>
    toJson(
      await run(
        ...['add', '--json', '--type', 'web', '--name', 'Payroll', '--scope', 'tickets:read'],
        ...['--home-page', 'https://payroll.example/', '--redirect-uri', 'https://payroll.example/callback'],
        ...['--backchannel-logout-uri', 'https://payroll.example/log-out'],
      ),
    );

  it('changes only the given options; its secret stays valid', async () => {
    const { client_secret: _, ...added } = await addPayroll();
    const edited = toJson(
      await run(
        ...['edit', added.client_id, '--json', '--name', 'Wages', '--scope', 'tickets:read tickets:write'],
        ...['--redirect-uri', 'https://wages.example/callback', '--redirect-uri', 'https://wages.example/'],
      ),
    );
    expect(edited).toEqual({
      ...added,
      name: 'Wages',
      scope: 'tickets:read tickets:write',
      redirect_uris: ['https://wages.example/callback', 'https://wages.example/'],
      updated_at: expect.any(String),
    });
    const [record] = await operated.storage.audit.list({ clientId: added.client_id, limit: 1 });
    expect(record).toMatchObject({ type: 'client.changed', actor: 'operator', details: { name: 'Wages' } });
  });

  it('makes PKCE optional and required again, with an audit record each', async () => {
    const { client_id } = await addPayroll();
    for (const pkce of ['optional', 'required']) {
      expect(toJson(await run('edit', client_id, '--json', '--pkce', pkce)).pkce).toBe(pkce);
      expect(toJson(await run('show', client_id, '--json')).pkce).toBe(pkce);
      const [record] = await operated.storage.audit.list({ clientId: client_id, limit: 1 });
      expect(record).toMatchObject({ type: 'client.changed', details: { pkce } });
    }
  });

  it('sets the algorithm of signed authorization responses, and other edits keep it (JARM §3)', async () => {
    const alg = 'authorization_signed_response_alg';
    const added = await addPayroll();
    expect(added[alg]).toBe('RS256');
    const edit = (...args: string[]) => run('edit', added.client_id, '--json', ...args);
    expect(toJson(await edit('--authorization-response-alg', 'ES256'))[alg]).toBe('ES256');
    expect(toJson(await edit('--name', 'Wages'))[alg]).toBe('ES256');
    expect((await edit('--authorization-response-alg', 'none')).code).not.toBe(0);
  });

  it('shows that PKCE is optional, and other edits keep it', async () => {
    const { client_id } = await addPayroll();
    await run('edit', client_id, '--pkce', 'optional');
    expect((await run('edit', client_id, '--name', 'Wages')).stdout).toMatch(/^PKCE +optional/m);
  });

  it('removes a setting whose value is empty', async () => {
    const { client_id } = await addPayroll();
    const empty = ['--home-page', '', '--backchannel-logout-uri', '', '--scope', ''];
    const edited = toJson(await run('edit', client_id, '--json', ...empty));
    expect(edited).toMatchObject({ name: 'Payroll', home_page: null, scope: '' });
    expect(edited).not.toHaveProperty('backchannel_logout_uri');
  });

  it('replaces the keys of a client', async () => {
    const folder = newFolder();
    const writeKeys = (kid: string) => {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const file = join(folder, `${kid}.json`);
      writeFileSync(file, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid }] }));
      return file;
    };
    const { client_id } = toJson(
      await run('add', '--json', '--name', 'Importer', '--jwks', writeKeys('old')),
    );
    const edited = toJson(await run('edit', client_id, '--json', '--jwks', writeKeys('new')));
    expect(edited.jwks.keys).toMatchObject([{ kid: 'new' }]);
  });

  it('rejects a key set with a duplicate member name', async () => {
    const file = join(newFolder(), 'keys.json');
    writeFileSync(file, '{"keys":[],"keys":[]}');
    const { client_id } = await addPayroll();
    const { code, stderr } = await run('edit', client_id, '--jwks', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining('repeats the name keys')]);
  });

  it.each([
    [
      'every error at once',
      ['--name', ' ', '--redirect-uri', 'http://a.example/'],
      /name needs.*redirect_uri/s,
    ],
    ['missing options', [], /^Nothing to change/],
  ])('reports %s and changes nothing', async (_, options, stderr) => {
    const { client_id } = await addPayroll();
    expect(await run('edit', client_id, ...options)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(stderr),
    });
    expect((await operated.storage.clients.find(client_id))?.version).toBe(1);
  });

  it('reports an unknown client', async () => {
    expect(await run('edit', 'nobody', '--name', 'x')).toMatchObject({ code: 1, stdout: '' });
  });
});
