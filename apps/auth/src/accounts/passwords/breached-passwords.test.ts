import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { home, startAccounts, tokenIn } from '../accounts.fixture.ts';
import { openBreachedPasswords } from './breached-passwords.ts';

const breached = 'seven quiet harbours';
const digestOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function writeList(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'breached-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const file = join(folder, 'passwords.txt');
  await writeFile(file, content);
  return file;
}

function open(options: { file?: string; url?: string }) {
  const errors: unknown[] = [];
  const passwords = openBreachedPasswords({ ...options, onError: (err) => errors.push(err) });
  cleanUps.push(() => passwords.close());
  return { passwords, errors };
}

/** Starts a range API, and returns its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`;
}

describe('a file of breached passwords', () => {
  const words = Array.from({ length: 1_000 }, (_, index) => `password ${index}`);
  const lines = words.map((word, index) => `${digestOf(word)}:${7 ** (index % 10)}`).sort();

  it.each([
    ['Windows', `${lines.join('\r\n')}\r\n`],
    ['Unix', `${lines.join('\n')}\n`],
    ['no final', lines.join('\n')],
    ['lower-case', lines.join('\n').toLowerCase()],
  ])('contains each of a thousand, with %s line ends', async (_, content) => {
    const { passwords, errors } = open({ file: await writeList(content) });
    const found = await Promise.all(words.map((word) => passwords.has(word)));
    expect(found.filter((isFound) => !isFound)).toEqual([]);
    const others = await Promise.all(words.map((word) => passwords.has(`${word}!`)));
    expect(others.filter((isFound) => isFound)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each(['', 'letmein\n', '<html>'])('is refused at the start if it begins with %j', async (content) => {
    const file = await writeList(content);
    expect(() => open({ file })).toThrow(`${file} does not begin with a SHA-1 digest`);
  });

  it('is refused at the start if it does not exist', () => {
    expect(() => open({ file: '/nowhere/passwords.txt' })).toThrow('/nowhere/passwords.txt');
  });
});

describe('a range API of breached passwords', () => {
  it('learns five of the 40 digits of the digest, and neither the password nor an address', async () => {
    const requests: unknown[] = [];
    const url = await serve(({ url, headers }, response) => {
      requests.push({ url, padding: headers['add-padding'], cookie: headers.cookie });
      response.end(`${digestOf('other').slice(5)}:3\r\n${digestOf(breached).slice(5)}:12\r\n`);
    });
    expect(await open({ url }).passwords.has(breached)).toBe(true);
    expect(requests).toEqual([{ url: `/range/${digestOf(breached).slice(0, 5)}`, padding: 'true' }]);
  });

  it('says no by leaving the digest out, or by padding with a count of 0', async () => {
    const url = await serve((_, response) => response.end(`${digestOf(breached).slice(5)}:0\r\n`));
    const { passwords, errors } = open({ url });
    expect(await passwords.has(breached)).toBe(false);
    expect(await passwords.has('kindly yellow umbrella')).toBe(false);
    expect(errors).toEqual([]);
  });

  it.each<[string, RequestListener]>([
    ['responds 503', (_, response) => response.writeHead(503).end()],
    ['closes the connection', (request) => request.socket.destroy()],
    ['does not respond', () => undefined],
  ])('accepts the new password if it %s', async (_, listener) => {
    const { passwords, errors } = open({ url: await serve(listener) });
    expect(await passwords.has(breached)).toBe(false);
    expect(errors).toHaveLength(1);
    expect(String(errors)).not.toContain(breached);
  });
});

describe('an account', () => {
  it('gets no breached password, and signs in with one that it already has', async () => {
    const known = new Set<string>();
    const { accounts, add, takeMails, close } = await startAccounts({
      breachedPasswords: { has: async (password) => known.has(password) },
    });
    cleanUps.push(close);
    const { id, email } = await add({ password: breached });
    const password = 'kindly yellow umbrella';
    const { id: accountId, email: address } = await add({ password });
    known.add(breached);

    const origin = { ...home, device: 'phone' };
    expect((await accounts.authenticate({ email, password: breached }, origin))?.account.id).toBe(id);
    await accounts.requestPasswordReset({ email: address }, home);
    const token = tokenIn(await takeMails());
    const newPassword = breached;
    for (const attempt of [
      () => accounts.signUp({ email: 'new@example.org', password: breached }, home),
      () => accounts.signUp({ email: 'wide@example.org', password: 'ｓｅｖｅｎ quiet harbours' }, home),
      () => accounts.add({ email: 'added@example.org', password: breached, role: 'agent' }, home),
      () => accounts.setPassword({ accountId, newPassword }, home),
      () => accounts.changePassword({ accountId, currentPassword: password, newPassword }, home),
      () => accounts.resetPassword({ token, newPassword }, home),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'validation_failed',
        errors: [expect.objectContaining({ field: 'password', code: 'breached' })],
      });
    // A refused password does not redeem the link.
    await accounts.resetPassword({ token, newPassword: 'four silver lanterns' }, home);
  });
});
