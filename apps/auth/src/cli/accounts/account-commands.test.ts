import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, useStarted } from '@keydesk/testing';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setUpApp } from '../../tests/authenticator-app.fixture.ts';
import { createBrowser } from '../../tests/browser.fixture.ts';
import { runCli, serveNewFolder } from '../../tests/processes.fixture.ts';

const password = 'kindly yellow umbrella';

function toJson({ code, stdout, stderr }: Ended) {
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('the account commands', () => {
  const served = useStarted(serveNewFolder);

  const run = (args: readonly string[], input = '') => runCli(['account', ...args], served.env, input);
  const add = (email: string, role: string, input = `${password}\n`) =>
    run(['add', '--email', email, '--role', role, '--password-stdin', '--json'], input);

  /** Whether the credentials work at the running server; signs in through a new client. */
  async function canSignIn(email: string, typed: string): Promise<boolean> {
    const redirectUri = 'http://127.0.0.1:1/callback';
    const made = ['client', 'add', '--type', 'spa', '--name', 'App', '--redirect-uri', redirectUri, '--json'];
    const { client_id } = toJson(await runCli(made, served.env));
    const request = new URL('/auth', served.url);
    request.search = new URLSearchParams({
      client_id,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    }).toString();
    const browser = createBrowser(served.url);
    const page = await browser.open(request);
    return (await browser.submit(page, 'sign-in', { email, password: typed })).html.includes('id="consent"');
  }

  it('add an account that can sign in to the running server at once', async () => {
    expect(toJson(await add('Ada@Example.org', 'agent'))).toMatchObject({
      account_id: expect.stringMatching(/^[\da-f]{8}-/),
      email: 'ada@example.org',
      role: 'agent',
      status: 'active',
      has_password: true,
    });
    expect(await canSignIn('ada@example.org', password)).toBe(true);
    expect(await canSignIn('ada@example.org', 'another password')).toBe(false);
  });

  it('reject a common or short password, and an invalid or taken address', async () => {
    await add('taken@example.org', 'customer');
    for (const [email, input] of [
      ['bob@example.org', 'qwertyuiop'],
      ['bob@example.org', 'short'],
      ['bob@example.org', ''],
      ['taken@example.org', password],
      ['bob', password],
    ] as const) {
      const { code, stdout, stderr } = await add(email, 'customer', input);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^.{20,}\n$/);
    }
  });

  it('list by role and show accounts, by address and by id, without secrets', async () => {
    const { account_id } = toJson(await add('root@example.org', 'admin'));
    const listed = toJson(await run(['list', '--role', 'admin', '--json']));
    expect(listed).toMatchObject([{ account_id, email: 'root@example.org' }]);
    const factors = { has_authenticator_app: false, recovery_codes_left: 0, passkeys: 0, identities: 0 };
    for (const named of [account_id, 'root@example.org'])
      expect(toJson(await run(['show', named, '--json']))).toEqual({ ...listed[0], ...factors });
    expect((await run(['list'])).stdout).not.toContain('argon2');
  });

  it('list accounts without the master secret', async () => {
    const { account_id } = toJson(await add('una@example.org', 'customer'));
    const env = { ...served.env, MASTER_SECRET: randomBytes(32).toString('base64url') };
    expect(toJson(await runCli(['account', 'list', '--json'], env))).toContainEqual(
      expect.objectContaining({ account_id }),
    );
    expect((await runCli(['account', 'show', account_id], env)).stderr).toMatch(
      /^The master secret does not/,
    );
  });

  it('set the profile of an account and reject unknown claims', async () => {
    const email = 'told@example.org';
    await add(email, 'customer');
    const profile = { name: 'Tina Told', phone_number: '+441632960001', address: { locality: 'London' } };
    expect(toJson(await run(['set-profile', email, '--json'], JSON.stringify(profile)))).toMatchObject({
      profile,
    });
    for (const input of ['{', '', '{"sub":"x"}', '{"phone_number":"0800"}']) {
      const { code, stdout, stderr } = await run(['set-profile', email], input);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^.{20,}\n$/);
    }
    expect(toJson(await run(['show', email, '--json'])).profile).toEqual(profile);
  });

  it.each([
    ['{"nickname":5,"shoe_size":1}', 'nickname must be text; shoe_size is not a profile claim.'],
    ['{"address":{"planet":"Earth"}}', 'address.planet is not a profile claim.'],
    ['{"address":"London"}', 'address must be an object.'],
    ['["x"]', 'profile must be an object.'],
    [`{"name":"${'x'.repeat(201)}"}`, 'name must have at most 200 characters.'],
  ])('explain what is wrong with a profile: %s', async (input, reason) => {
    const { code, stderr } = await run(['set-profile', 'root@example.org'], input);
    expect([code, stderr]).toEqual([1, `Invalid input: ${reason}\n`]);
  });

  it('sign a user out of the running server, who can sign in again', async () => {
    const email = 'sam@example.org';
    await add(email, 'customer');
    const browser = createBrowser(served.url);
    const openAccount = async () => (await browser.open('/account')).url.pathname;
    await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
    expect(await openAccount()).toBe('/account');
    expect(toJson(await run(['sign-out', email, '--json'])).status).toBe('active');
    expect(await openAccount()).toBe('/sign-in');
    expect(await canSignIn(email, password)).toBe(true);
  });

  it('remove the second factor of a user, who signs in with the password', async () => {
    const email = 'tom@example.org';
    await add(email, 'customer');
    const browser = createBrowser(served.url);
    await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
    const page = await browser.open('/account/two-step/app');
    const { recoveryCodes } = await setUpApp(browser, page, { time: { ahead: 0 } });
    expect([recoveryCodes.length, await canSignIn(email, password)]).toEqual([10, false]);
    expect((await run(['show', email])).stdout).toContain('set up, 10 recovery codes left');
    expect(toJson(await run(['reset-factors', email, '--json'])).status).toBe('active');
    expect(await canSignIn(email, password)).toBe(true);
  });

  it('change role, status and password, and remove accounts, with effect on the next sign-in', async () => {
    const email = 'eve@example.org';
    await add(email, 'customer');
    expect(toJson(await run(['set-role', email, 'agent', '--json'])).role).toBe('agent');
    expect(toJson(await run(['disable', email, '--json'])).status).toBe('disabled');
    expect(await canSignIn(email, password)).toBe(false);
    expect(toJson(await run(['enable', email, '--json'])).status).toBe('active');
    toJson(await run(['reset-password', email, '--json'], 'seven quiet harbours'));
    expect(await canSignIn(email, 'seven quiet harbours')).toBe(true);
    toJson(await run(['reset-password', email, '--password-stdin', '--json'], 'nine slow ferries'));
    expect(await canSignIn(email, 'nine slow ferries')).toBe(true);
    expect(toJson(await run(['delete', email, '--json']))).toMatchObject({
      status: 'pending_deletion',
      deletion_due_at: expect.stringMatching(/Z$/),
    });
    expect(toJson(await run(['keep', email, '--json']))).toMatchObject({
      status: 'active',
      deletion_due_at: null,
    });
    expect((await run(['delete', email])).stdout).toMatch(/^deletion due +\d{4}-\d\d-\d\d/m);
    expect((await run(['keep', email])).stdout).not.toContain('deletion due');
    expect((await run(['keep', email])).stderr).toContain('No deletion of this account is scheduled');
    const out = join(tmpdir(), `${randomUUID()}.zip`);
    onTestFinished(() => rm(out, { force: true }));
    expect((await run(['export', email, '--out', out])).code).toBe(0);
    expect(strFromU8(unzipSync(await readFile(out))['account.json'] ?? new Uint8Array())).toContain(email);
    expect((await run(['export', email, '--out', out])).stderr).toContain('cannot be written');
    expect(toJson(await run(['remove', email, '--json'])).removed).toBe(true);
    expect((await run(['show', email])).stderr).toBe(`No account matches ${email}.\n`);
  });
});
