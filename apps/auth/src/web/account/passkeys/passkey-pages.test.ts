import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { updateDocument } from '../../../accounts/credentials/change-document.ts';
import { createFactors } from '../../../accounts/factors/factors.ts';
import { createAuthenticator, FLAGS, toCoseKey } from '../../../accounts/passkeys/authenticator.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { createBrowser } from '../../../tests/browser.fixture.ts';
import { startTestServer } from '../../../tests/test-server.fixture.ts';
import { useMailboxServer } from '../use-mailbox-server.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from './passkey-pages.fixture.ts';

const TEN_MINUTES_MS = 600_000;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server, mailbox } = useMailboxServer(storage, { host: 'localhost' });

  /** Opens the page that creates a passkey, as a user who just signed in. */
  async function openNewPasskey() {
    const account = await server.addAccount();
    const browser = await signInByPassword(server, account.email);
    const page = await browser.open('/account/passkeys/new');
    return { account, browser, page, options: optionsIn(page, 'creation') };
  }
  const findPasskeys = async (accountId: string) =>
    (await storage.get().factors.find(accountId))?.passkeys ?? [];
  const eventsOf = async (accountId: string) =>
    (await storage.get().audit.list({ accountId, limit: 50 })).map(({ type }) => type);

  describe('adding a passkey', () => {
    it('requests a discoverable one with user verification, without attestation (WebAuthn §5.4)', async () => {
      const { account, options } = await openNewPasskey();
      expect(options).toMatchObject({
        rp: { id: 'localhost' },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        excludeCredentials: [],
      });
      expect(options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg)).toEqual([-7, -8, -257]);
      expect(Buffer.from(options.user.id, 'base64url').toString()).toBe(account.id);
    });

    it('lists it by name, records it and notifies the owner', async () => {
      const { account, browser } = await openNewPasskey();
      await addPasskey(browser, server.url, '  Ada’s   phone ');
      const { html } = await browser.open('/account/passkeys');
      expect(html).toContain('<bdi>Ada’s phone</bdi>');
      expect(html).toContain('Synced between your devices');
      expect(await findPasskeys(account.id)).toMatchObject([
        {
          counter: 0,
          transports: ['internal', 'hybrid'],
          isSyncable: true,
          isSynced: true,
          lastUsedAt: null,
        },
      ]);
      expect(await eventsOf(account.id)).toContain('account.passkey_added');
      const [mail] = await mailbox.mailsTo(account.email);
      expect(mail?.body).toContain('passkey was just added');
    });

    it('ends the trust in devices that skip the second factor', async () => {
      const { account, browser } = await openNewPasskey();
      const { factors } = storage.get();
      const device = { id: 'd', digest: 'ZGV2aWNl', description: 'Firefox', credentialEpoch: 0 };
      const at = new Date();
      const trusted = { ...device, createdAt: at, expiresAt: new Date(at.getTime() + 1_000) };
      const stored = updateDocument(createFactors(account.id), { trustedDevices: [trusted] });
      await factors.replace(stored, 0);
      await addPasskey(browser, server.url);
      expect((await factors.find(account.id))?.trustedDevices).toEqual([]);
    });

    it('excludes the authenticators that have one already (WebAuthn §5.4)', async () => {
      const { browser } = await openNewPasskey();
      const { id } = await addPasskey(browser, server.url);
      const again = optionsIn(await browser.open('/account/passkeys/new'), 'creation');
      expect(again.excludeCredentials).toMatchObject([{ id }]);
    });

    it('requires a name and keeps the typed one', async () => {
      const { browser, page, options } = await openNewPasskey();
      const passkey = createAuthenticator(server.url).create(options);
      const unnamed = await browser.submit(page, 'new-passkey', { passkey_name: ' ', passkey });
      expect([unnamed.status, unnamed.html.includes('id="passkey_name-problem"')]).toEqual([400, true]);
      const long = await browser.submit(page, 'new-passkey', { passkey_name: 'a'.repeat(61), passkey });
      expect([long.status, long.html.includes('at most 60 characters')]).toEqual([400, true]);
    });

    it('requires a fresh authentication (OWASP ASVS 5.0 §7.5.1)', async () => {
      const { browser, page } = await openNewPasskey();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TEN_MINUTES_MS });
      onTestFinished(() => void vi.useRealTimers());
      const asked = await browser.open('/account/passkeys/new');
      expect(asked.url.pathname + asked.url.search).toContain(
        '/sign-in?return_to=%2Faccount%2Fpasskeys%2Fnew',
      );
      const posted = await browser.submit(page, 'new-passkey', { passkey_name: 'Phone' });
      expect(posted.url.pathname).toBe('/sign-in');
    });

    it('requires a verified address, so that a stranger cannot prepare an account for its owner', async () => {
      const account = await server.addAccount();
      const stored = (await storage.get().accounts.find(account.id)) ?? account;
      const unverified = { ...stored, emailVerified: false, version: stored.version + 1 };
      await storage.get().accounts.replace(unverified, stored.version);
      const browser = await signInByPassword(server, account.email);
      const page = await browser.open('/account/passkeys/new');
      expect(page.url.pathname).toBe('/account/passkeys');
      expect(page.html).toContain('href="/account/verification"');
    });
  });

  describe('the response of an authenticator (WebAuthn §7.1)', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

    it.each([
      ['another origin (step 9)', { clientData: { origin: 'https://evil.example' } }, {}],
      ['a frame of another origin (step 10)', { clientData: { crossOrigin: true } }, {}],
      ['a sign-in (step 7)', { clientData: { type: 'webauthn.get' } }, {}],
      ['another challenge (step 8)', { clientData: { challenge: 'AAAA' } }, {}],
      ['no challenge', { clientData: { challenge: undefined } }, {}],
      ['another RP ID (step 14)', {}, { rpId: 'evil.example' }],
      ['no user presence (step 15)', {}, { flags: FLAGS.UV }],
      ['no user verification (step 16)', {}, { flags: FLAGS.UP }],
      ['a backup of what cannot be backed up (step 17)', {}, { flags: FLAGS.UP | FLAGS.UV | FLAGS.BS }],
      ['an algorithm that was not requested (step 20)', { publicKey: toCoseKey(publicKey, -36) }, {}],
      ['another id than that of the credential', {}, { id: 'AAAA' }],
      ['a key that is no COSE_Key', { publicKey: Buffer.from('f6', 'hex') }, {}],
      ['garbage as CBOR', { attestationObject: Buffer.from('9bffffffffffffffff', 'hex') }, {}],
      ['deeply nested CBOR', { attestationObject: Buffer.alloc(9_000, 0x81) }, {}],
      ['CBOR that is no map', { attestationObject: Buffer.from('01', 'hex') }, {}],
      ['an attestation with certificates', { attestationObject: packedAttestation() }, {}],
      ['no CBOR at all', { attestationObject: Buffer.alloc(0) }, {}],
    ])('is rejected with %s', async (_, changes, members) => {
      const { account, browser, page, options } = await openNewPasskey();
      const authenticator = Object.assign(createAuthenticator(server.url), members);
      const passkey = authenticator.create(options, changes);
      const answer = await browser.submit(page, 'new-passkey', { passkey_name: 'Phone', passkey });
      expect([answer.status, answer.html.includes('id="problems"')]).toEqual([400, true]);
      expect(await findPasskeys(account.id)).toEqual([]);
    });

    it.each([
      ['nothing', ''],
      ['null', 'null'],
      ['an array', '[]'],
      ['an empty object', '{}'],
      ['an object without a response', '{"id":"a","rawId":"a","type":"public-key"}'],
      ['an object whose id is a number', '{"id":1}'],
      ['an array of arrays', '['.repeat(5_000)],
    ])('is rejected if it is %s', async (_, passkey) => {
      const { browser, page } = await openNewPasskey();
      const answer = await browser.submit(page, 'new-passkey', { passkey_name: 'Phone', passkey });
      expect(answer.status).toBe(400);
    });

    it('is accepted once (step 8, single-use challenge)', async () => {
      const { account, browser, page, options } = await openNewPasskey();
      const passkey = createAuthenticator(server.url).create(options);
      const answers = await Promise.all(
        [1, 2].map(() => browser.submit(page, 'new-passkey', { passkey_name: 'Phone', passkey })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      expect(await findPasskeys(account.id)).toHaveLength(1);
    });

    it('is rejected after five minutes', async () => {
      const { browser, page, options } = await openNewPasskey();
      server.time.ahead += TEN_MINUTES_MS / 2;
      const passkey = createAuthenticator(server.url).create(options);
      expect((await browser.submit(page, 'new-passkey', { passkey_name: 'Phone', passkey })).status).toBe(
        400,
      );
    });

    it('is rejected from the page of another user', async () => {
      const [one, other] = [await openNewPasskey(), await openNewPasskey()];
      const passkey = createAuthenticator(server.url).create(one.options);
      const answer = await other.browser.submit(other.page, 'new-passkey', {
        passkey_name: 'Phone',
        passkey,
      });
      expect(answer.status).toBe(400);
    });

    it('is rejected with the passkey of another account (step 26)', async () => {
      const [one, other] = [await openNewPasskey(), await openNewPasskey()];
      const authenticator = createAuthenticator(server.url);
      const post = ({ browser, page, options }: typeof one) =>
        browser.submit(page, 'new-passkey', {
          passkey_name: 'Phone',
          passkey: authenticator.create(options),
        });
      expect((await post(one)).status).toBe(200);
      expect((await post(other)).status).toBe(400);
      expect(await findPasskeys(other.account.id)).toEqual([]);
    });
  });

  describe('changing a passkey', () => {
    it('renames it', async () => {
      const { account, browser } = await openNewPasskey();
      const { id } = await addPasskey(browser, server.url);
      const page = await browser.open(`/account/passkeys/${id}`);
      const done = await browser.submit(page, 'rename-passkey', { passkey_name: 'Tablet' });
      expect([done.url.pathname, done.html.includes('<bdi>Tablet</bdi>')]).toEqual([
        '/account/passkeys',
        true,
      ]);
      expect(await eventsOf(account.id)).toContain('account.passkey_renamed');
    });

    it('removes it, records it and notifies the owner', async () => {
      const { account, browser } = await openNewPasskey();
      const { id } = await addPasskey(browser, server.url);
      const page = await browser.open(`/account/passkeys/${id}`);
      const done = await browser.submit(page, 'remove-passkey');
      expect([done.url.pathname, await findPasskeys(account.id)]).toEqual(['/account/passkeys', []]);
      expect(await eventsOf(account.id)).toContain('account.passkey_removed');
      const mails = await mailbox.mailsTo(account.email, 2);
      expect(mails.some(({ body }) => body.includes('passkey was just removed'))).toBe(true);
      expect((await browser.submit(page, 'remove-passkey')).status).toBe(404);
    });

    it('keeps the last one of an account without a password, even if two are removed concurrently', async () => {
      const { account, browser } = await openNewPasskey();
      const authenticators = [await addPasskey(browser, server.url), await addPasskey(browser, server.url)];
      const stored = (await storage.get().accounts.find(account.id)) ?? account;
      const next = { ...stored, passwordHash: null, version: stored.version + 1 };
      await storage.get().accounts.replace(next, stored.version);
      const pages = await Promise.all(
        authenticators.map(({ id }) => browser.open(`/account/passkeys/${id}`)),
      );
      const answers = await Promise.all(pages.map((page) => browser.submit(page, 'remove-passkey')));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      const [kept, ...others] = await findPasskeys(account.id);
      expect(others).toEqual([]);
      expect((await browser.open(`/account/passkeys/${kept?.id}`)).html).toContain('id="last-passkey"');
    });

    it('is not possible for the passkey of another account', async () => {
      const [one, other] = [await openNewPasskey(), await openNewPasskey()];
      const { id } = await addPasskey(one.browser, server.url);
      expect((await other.browser.open(`/account/passkeys/${id}`)).status).toBe(404);
    });
  });

  it('without WebAuthn at the issuer, the page says so and offers nothing (§5.1.3, step 8)', async () => {
    const other = await startTestServer(storage.get());
    try {
      const { email } = await other.addAccount();
      const browser = await signInByPassword(other, email);
      const page = await browser.open('/account/passkeys/new');
      expect(page.url.pathname).toBe('/account/passkeys');
      expect(page.html).toContain('id="passkeys-unavailable"');
      expect((await createBrowser(other.url).open('/sign-in')).html).not.toContain('data-request');
    } finally {
      await other.stop();
    }
  });
});

/** Returns a packed attestation with a certificate (§8.2). */
function packedAttestation(): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
  const statement = [Buffer.from([0xa1]), text('x5c'), Buffer.from([0x81, 0x41, 0])];
  const authData = [text('authData'), Buffer.from([0x40])];
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('packed'),
    text('attStmt'),
    ...statement,
    ...authData,
  ]);
}
