import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newId } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileMailer } from './file-mailer.ts';
import { readMail } from './smtp-server.fixture.ts';

const link = 'http://127.0.0.1:3000/reset/very-secret';
const mail = { to: 'ann@example.org', subject: 'Choose a new password', text: `Click:\n${link}\n` };

describe('mail written to files', () => {
  let root: string;
  let folder: string;
  let logged: unknown[];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'keydesk-mail-'));
    folder = join(root, 'data', 'mail');
    logged = [];
  });
  afterEach(() => rm(root, { recursive: true }));

  const open = () =>
    createFileMailer({
      folder,
      from: 'Keydesk <no-reply@keydesk.example>',
      newId,
      log: { info: (details, message) => logged.push({ ...details, message }) },
    });

  it('is one complete .eml file per mail, whose path is logged', async () => {
    await open().send(mail);
    const [name = '', ...others] = await readdir(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/\.eml$/);
    const { headers, body } = readMail(await readFile(join(folder, name)));
    expect(headers).toContain('To: ann@example.org');
    expect(body).toContain(link);
    expect(logged).toEqual([{ path: join(folder, name), message: expect.any(String) }]);
  });

  it('leaves none of its content in the log', async () => {
    await open().send(mail);
    expect(JSON.stringify(logged)).not.toMatch(/secret|ann@|password/);
  });

  it('is readable only by its owner', async () => {
    await open().send(mail);
    const [name = ''] = await readdir(folder);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('never overwrites a mail that is written concurrently', async () => {
    const mailer = open();
    await Promise.all(Array.from({ length: 50 }, () => mailer.send(mail)));
    const names = await readdir(folder);
    expect(names.filter((name) => name.endsWith('.eml'))).toHaveLength(50);
  });

  it('rejects a recipient that would inject headers, and writes nothing', async () => {
    const to = 'ann@example.org\r\nBcc: eve@example.org';
    await expect(open().send({ ...mail, to })).rejects.toThrow('one mailbox');
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });
});
