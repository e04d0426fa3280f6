import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@keydesk/config';
import { useStarted } from '@keydesk/testing';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { openStorage } from '../../storage/open-storage.ts';
import { createSqliteDatabase } from '../../storage/test-database.fixture.ts';
import { type Browser, createBrowser } from '../../tests/browser.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';
import { type GitHubUser, startApple, startGitHub } from './preset-providers.fixture.ts';
import { identityProviderSettings, toIdentityProviders } from './provider-file.ts';
import { isSignedIn, noticeOf } from './upstream-server.fixture.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** Users of the next sign-ins. */
const users: { github: GitHubUser; apple: Record<string, unknown> } = {
  github: { id: 1, login: 'ada', name: 'Ada', emails: [] },
  apple: {},
};

/** Starts a server with the presets `github` and `apple`, at providers that follow their documentation. */
async function startWithPresets() {
  const folder = mkdtempSync(join(tmpdir(), 'keydesk-'));
  const keyFile = join(folder, 'apple.p8');
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const [gitHub, apple] = await Promise.all([startGitHub(() => users.github), startApple(() => users.apple)]);
  const client = { client_id: 'keydesk', client_secret_env: 'GITHUB_SECRET' };
  const appleKey = { team_id: 'TEAM', key_id: 'KEY', private_key_file: keyFile };
  const providers = [
    { id: 'github', preset: 'github', issuer: gitHub.issuer, ...client },
    { id: 'apple', preset: 'apple', issuer: apple.issuer, client_id: 'org.example.web', ...appleKey },
  ];
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify({ providers }));
  const env = { IDENTITY_PROVIDERS_FILE: file, GITHUB_SECRET: 'of the app' };
  const { identityProviderFile } = loadConfig(identityProviderSettings, env);
  const identityProviders = toIdentityProviders(identityProviderFile, env);
  const database = await createSqliteDatabase();
  const storage = await openStorage(database.location);
  const server = await startTestServer(storage, { config: { identityProviders } });
  return {
    server,
    gitHub,
    apple,
    async stop() {
      await server.stop();
      await Promise.all([gitHub.stop(), apple.stop()]);
      await storage.close();
      await database.drop();
      rmSync(folder, { recursive: true });
    },
  };
}

describe('the presets of providers', () => {
  const used = useStarted(startWithPresets);

  /** Goes to a provider; returns the parameters of the request. */
  async function leaveFor(browser: Browser, id: string): Promise<Record<string, string>> {
    const { url } = await browser.open(`/sign-in/with/${id}`);
    return Object.fromEntries(url.searchParams);
  }

  describe('github (OAuth 2.0 without OpenID Connect)', () => {
    const address = (email: string, members: object = {}) => {
      return { email, primary: true, verified: true, visibility: null, ...members };
    };

    async function signIn(user: Omit<GitHubUser, 'login' | 'name'>, code = 'right') {
      users.github = { login: 'ada', name: 'Ada', ...user };
      const browser = createBrowser(used.server.url);
      const sent = await leaveFor(browser, 'github');
      const answer = new URLSearchParams({ code, state: sent.state ?? '' });
      return { sent, page: await browser.open(`/sign-in/with/github/callback?${answer}`) };
    }

    it('opens the account of the numeric id with the verified primary address', async () => {
      const email = `${randomUUID()}@example.org`;
      const emails = [address('other@example.org', { primary: false }), address(email)];
      const { page, sent } = await signIn({ id: 7, emails });
      expect([isSignedIn(page), page.html.includes(email)]).toEqual([true, true]);
      expect(sent).toMatchObject({ scope: 'read:user user:email', code_challenge_method: 'S256' });
      expect(Object.fromEntries(used.gitHub.tokenRequests.at(-1) ?? [])).toMatchObject({
        client_id: 'keydesk',
        client_secret: 'of the app',
        code_verifier: expect.any(String),
      });
      const account = await used.server.accounts.findByEmail(email);
      const [identity] = await used.server.accounts.listIdentities(account?.id ?? '');
      expect(identity).toMatchObject({ subject: '7', issuer: used.gitHub.issuer });
      expect(account?.profile).toMatchObject({ name: 'Ada', preferred_username: 'ada' });
    });

    it('refuses an address that is not verified, the public one, and none', async () => {
      const unverified = [address(`${randomUUID()}@example.org`, { verified: false })];
      for (const emails of [unverified, []])
        expect(noticeOf((await signIn({ id: 8, emails })).page)).toContain('has not confirmed');
      expect(await used.server.accounts.findByEmail('public@example.com')).toBeUndefined();
    });

    it('refuses a wrong code, which GitHub answers with the status 200', async () => {
      const emails = [address(`${randomUUID()}@example.org`)];
      expect(noticeOf((await signIn({ id: 9, emails }, 'wrong')).page)).toContain('failed');
    });
  });

  describe('apple (form_post, and a client secret that is a JWT)', () => {
    async function signIn(claims: Record<string, unknown>) {
      const browser = createBrowser(used.server.url);
      const sent = await leaveFor(browser, 'apple');
      users.apple = { sub: randomUUID(), nonce: sent.nonce, ...claims };
      const name = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' } });
      const body = new URLSearchParams({ code: 'c', state: sent.state ?? '', user: name });
      // Browsers send no cookie with a POST from another site (SameSite=Lax); the GET that follows has it.
      const posted = await fetch(`${used.server.url}/sign-in/with/apple/callback`, {
        method: 'POST',
        body,
        redirect: 'manual',
      });
      return { sent, page: await browser.open(posted.headers.get('location') ?? '') };
    }

    it('opens an account, and signs the client secret with ES256', async () => {
      const email = `${randomUUID()}@privaterelay.appleid.com`;
      const { page, sent } = await signIn({ email, email_verified: 'true', is_private_email: 'true' });
      expect([isSignedIn(page), page.html.includes(email)]).toEqual([true, true]);
      expect(sent).toMatchObject({ response_mode: 'form_post', scope: 'openid email' });
      const secret = used.apple.tokenRequests.at(-1)?.get('client_secret') ?? '';
      const { payload, protectedHeader } = await jwtVerify(secret, publicKey, {
        issuer: 'TEAM',
        subject: 'org.example.web',
        audience: used.apple.issuer,
        maxTokenAge: '10 minutes',
      });
      expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'KEY' });
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(15_777_000);
    });

    it('refuses an address that is not verified, and another nonce', async () => {
      const email = `${randomUUID()}@icloud.com`;
      const { page } = await signIn({ email, email_verified: 'false' });
      expect(noticeOf(page)).toContain('has not confirmed');
      const forged = await signIn({ email, email_verified: 'true', nonce: 'another' });
      expect(noticeOf(forged.page)).toContain('failed');
    });
  });
});
