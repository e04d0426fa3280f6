import { useStarted } from '@keydesk/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { addMachineClient, runCli, serveNewFolder } from '../../tests/processes.fixture.ts';
import { basic } from '../../tests/test-server.fixture.ts';

interface ListedKey {
  kid: string;
  algorithm: string;
  state: string;
}

/** A server polls for changes every five seconds; this only bounds a test that fails. */
const patience = { timeout: 60_000, interval: 200 };

describe('a compromised signing key (RFC 9068 §4, NIST SP 800-57 part 1 §5.3.5)', () => {
  const served = useStarted(serveNewFolder);

  const run = (...args: string[]) => runCli(args, served.env);
  const parse = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

  /** Fetches the keys, as a verifier does. */
  const verify = (token: string) => jwtVerify(token, createRemoteJWKSet(new URL(`${served.url}/jwks`)));

  it('is removed from a running server, which continues with the next key and rejects its tokens', async () => {
    const { id, secret } = await addMachineClient(served.env);
    const requestToken = async () =>
      (await run('token', '--client-id', id, '--client-secret', secret)).stdout.trim();
    const isActive = async (token: string) => {
      const [body, headers] = [new URLSearchParams({ token }), basic(id, secret)];
      const answer = await fetch(`${served.url}/token/introspection`, { method: 'POST', headers, body });
      return ((await answer.json()) as { active: boolean }).active;
    };
    const token = await requestToken();
    const { kid } = (await verify(token)).protectedHeader;
    expect(await isActive(token)).toBe(true);
    const keys: ListedKey[] = await parse('keys', 'list');
    const next = keys.find(({ algorithm, state }) => algorithm === 'ES256' && state === 'next');

    const left: ListedKey[] = await parse('keys', 'remove', '--kid', String(kid), '--yes');
    expect(left).toContainEqual(expect.objectContaining({ kid: next?.kid, state: 'current' }));
    expect(left.map((key) => key.kid)).not.toContain(kid);
    await expect.poll(() => isActive(token), patience).toBe(false);
    await expect(verify(token)).rejects.toThrow('no applicable key found');
    const another = await requestToken();
    expect((await verify(another)).protectedHeader.kid).toBe(next?.kid);
    expect(await isActive(another)).toBe(true);
    expect(await parse('audit', 'list', '--type', 'keys.removed')).toMatchObject([
      { details: { removed: kid } },
    ]);
  });

  it('is removed only with --yes, and only if it exists', async () => {
    const [{ kid }] = await parse('keys', 'list');
    expect(await run('keys', 'remove', '--kid', kid)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pass --yes'),
    });
    expect((await parse('keys', 'list')).map((key: ListedKey) => key.kid)).toContain(kid);
    // A key id can begin with hyphens (RFC 7638 §3, base64url).
    expect(await run('keys', 'remove', '--kid', '--nobody', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No such key'),
    });
  });
});
