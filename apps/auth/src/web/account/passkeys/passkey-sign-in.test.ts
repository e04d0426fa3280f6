import { describe, expect, it } from 'vitest';
import {
  type Authenticator,
  createAuthenticator,
  FLAGS,
} from '../../../accounts/passkeys/authenticator.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { createRequest, redeem, startJourney } from '../../../tests/people.fixture.ts';
import { useMailboxServer } from '../use-mailbox-server.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from './passkey-pages.fixture.ts';

const FIVE_MINUTES_MS = 300_000;
const { UP, UV, BE, BS } = FLAGS;

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const { server } = useMailboxServer(storage, { host: 'localhost' });

  /** Adds an account with a passkey. */
  async function addOwner(members: Partial<Authenticator> = {}) {
    const account = await server.addAccount();
    const browser = await signInByPassword(server, account.email);
    return { account, authenticator: await addPasskey(browser, server.url, 'Phone', members) };
  }

  const openSignIn = async () => {
    const browser = createBrowser(server.url);
    const page = await browser.open('/sign-in');
    const post = (passkey: string): Promise<Page> =>
      browser.submit(page, 'sign-in-with-passkey', { passkey });
    return { browser, page, post, options: optionsIn(page, 'request') };
  };

  /** Signs in with a passkey, in a new browser. */
  async function signIn(authenticator: Authenticator, clientData = {}): Promise<Page> {
    const { post, options } = await openSignIn();
    return post(authenticator.get(options, clientData));
  }
  const isSignedIn = ({ status, url }: Page) => status === 200 && url.pathname === '/account';
  const findPasskey = async ({ id }: Authenticator) => {
    const factors = await storage.get().factors.findByPasskey(id);
    return factors?.passkeys.find((each) => each.id === id);
  };
  /** Returns the details of the newest failed sign-in of an account. */
  async function findFailure(accountId: string) {
    const types = ['account.sign_in_failed'] as const;
    const [record] = await storage.get().audit.list({ accountId, types, limit: 1 });
    return record?.details;
  }

  describe('signing in with a passkey (WebAuthn §7.2)', () => {
    it('names no passkeys in its options, and requires user verification (§14.6.2)', async () => {
      const { page, options } = await openSignIn();
      expect(options).toMatchObject({
        rpId: 'localhost',
        allowCredentials: [],
        userVerification: 'required',
      });
      expect(page.html).toContain('autocomplete="username webauthn"');
    });

    it('opens a session, and stores when it was used and whether it is synced', async () => {
      const { account, authenticator } = await addOwner({ flags: UP | UV | BE });
      expect(await findPasskey(authenticator)).toMatchObject({ isSynced: false, lastUsedAt: null });
      authenticator.flags |= BS;
      const page = await signIn(authenticator);
      expect([isSignedIn(page), page.html.includes(account.email)]).toEqual([true, true]);
      expect(await findPasskey(authenticator)).toMatchObject({
        isSynced: true,
        lastUsedAt: expect.any(Date),
      });
    });

    it('is recorded once, with its methods', async () => {
      const { account, authenticator } = await addOwner();
      await signIn(authenticator);
      const page = { accountId: account.id, types: ['account.signed_in'] as const, limit: 10 };
      const records = await storage.get().audit.list(page);
      expect(records.map(({ details }) => details.methods)).toEqual(['swk user mfa', 'pwd']);
    });

    it.each([
      ['ES256', -7],
      ['EdDSA', -8],
      ['RS256', -257],
    ] as const)('works with %s, and rejects the signature of another key (§5.4)', async (_, algorithm) => {
      const { authenticator } = await addOwner(createAuthenticator(server.url, algorithm));
      expect(isSignedIn(await signIn(authenticator))).toBe(true);
      const { id, userHandle } = authenticator;
      const other = Object.assign(createAuthenticator(server.url, algorithm), { id, userHandle });
      expect((await signIn(other)).status).toBe(400);
    });

    it('does not ask for a second factor, which the account has', async () => {
      const { account, authenticator } = await addOwner();
      const { factors } = storage.get();
      const stored = await factors.find(account.id);
      const totp = { sealedSecret: 'c2VhbGVk', lastStep: 0, createdAt: new Date() };
      if (stored) await factors.replace({ ...stored, totp, version: stored.version + 1 }, stored.version);
      expect(isSignedIn(await signIn(authenticator))).toBe(true);
      const byPassword = await signInByPassword(server, account.email);
      expect((await byPassword.open('/account')).url.pathname).toBe('/sign-in');
    });

    it.each([
      ['a synced one', UP | UV | BE | BS, 'swk'],
      ['one on a single device', UP | UV, 'hwk'],
    ])('counts as two factors, with %s (RFC 8176 §2)', async (_, flags, method) => {
      const journey = await startJourney(server);
      const owner = await signInByPassword(server, journey.email);
      const authenticator = await addPasskey(owner, server.url, 'Phone', { flags });
      const request = await createRequest(journey);
      const page = await journey.browser.open(request.url);
      const passkey = authenticator.get(optionsIn(page, 'request'));
      const consent = await journey.browser.submit(page, 'sign-in-with-passkey', { passkey });
      const done = await journey.browser.submit(consent, 'consent', { decision: 'allow' });
      const tokens = await redeem(journey, request, done.url);
      expect(tokens.claims()).toMatchObject({
        sub: journey.accountId,
        amr: [method, 'user', 'mfa'],
        acr: 'phr',
      });
    });

    it.each([
      ['of another origin (step 12)', {}, { origin: 'https://evil.example' }],
      ['of a frame of another origin (step 13)', {}, { crossOrigin: true }],
      ['to a creation (step 10)', {}, { type: 'webauthn.create' }],
      ['with another RP ID (step 15)', { rpId: 'evil.example' }, {}],
      ['without user presence (step 16)', { flags: UV | BE | BS }, {}],
      ['without user verification (step 17)', { flags: UP | BE | BS }, {}],
      ['whose backup eligibility has changed (step 18)', { flags: UP | UV }, {}],
      ['that is backed up without being eligible (step 18)', { flags: UP | UV | BS }, {}],
      ['without a user handle (step 6)', { userHandle: undefined }, {}],
      ['with the user handle of another account (step 6)', { userHandle: 'AAAA' }, {}],
    ])('rejects a response %s, and records it', async (_, members, clientData) => {
      const { account, authenticator } = await addOwner();
      const page = await signIn(Object.assign(authenticator, members), clientData);
      expect([page.status, page.html.includes('This passkey opens no account here.')]).toEqual([400, true]);
      const [record] = await storage.get().audit.list({ types: ['account.sign_in_failed'], limit: 1 });
      expect(record?.details).toMatchObject({ method: 'passkey' });
      expect(await findPasskey(authenticator)).toMatchObject({ lastUsedAt: null });
      expect([account.id, null]).toContain(record?.accountId);
    });

    it('answers in the same way for an unknown passkey, a wrong signature and a disabled account', async () => {
      const [known, disabled] = [await addOwner(), await addOwner()];
      const stranger = createAuthenticator(server.url);
      await server.accounts.disable(disabled.account.id, { address: 'cli', actor: 'operator' });
      const forged = Object.assign(createAuthenticator(server.url), {
        id: known.authenticator.id,
        userHandle: known.authenticator.userHandle,
      });
      const pages = [await signIn(stranger), await signIn(forged), await signIn(disabled.authenticator)];
      const shown = pages.map(({ status, html }) => [status, /id="problems".*?<\/div>/s.exec(html)?.[0]]);
      expect(new Set(shown.map(String)).size).toBe(1);
      expect(pages[0]?.status).toBe(400);
      expect(await findFailure(known.account.id)).toEqual({ method: 'passkey', reason: 'wrong_response' });
      expect(await findFailure(disabled.account.id)).toEqual({ method: 'passkey', reason: 'disabled' });
    });

    it('accepts a challenge once, even from two browsers of the same session concurrently (step 11)', async () => {
      const { authenticator } = await addOwner();
      const { post, options } = await openSignIn();
      const passkey = authenticator.get(options);
      const pages = await Promise.all([post(passkey), post(passkey), post(passkey)]);
      expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
      expect((await post(passkey)).html).toContain('That took too long.');
    });

    it('rejects a challenge of another browser', async () => {
      const { authenticator } = await addOwner();
      const [victim, attacker] = [await openSignIn(), await openSignIn()];
      const page = await victim.post(authenticator.get(attacker.options));
      expect([page.status, page.html.includes('That took too long.')]).toEqual([400, true]);
    });

    it('rejects a challenge after five minutes', async () => {
      const { authenticator } = await addOwner();
      const { post, options } = await openSignIn();
      server.time.ahead += FIVE_MINUTES_MS;
      expect((await post(authenticator.get(options))).status).toBe(400);
    });

    it('rejects the challenge of the creation of a passkey', async () => {
      const { account, authenticator } = await addOwner();
      const browser = await signInByPassword(server, account.email);
      const creation = optionsIn(await browser.open('/account/passkeys/new'), 'creation');
      expect((await signIn(authenticator, { challenge: creation.challenge })).status).toBe(400);
    });

    it.each(['', 'null', '{}', '['.repeat(5_000), '{"id":"\\u0000"}'])(
      'rejects malformed response %#, never with a fault of the server',
      async (passkey) => {
        const { post } = await openSignIn();
        expect((await post(passkey)).status).toBe(400);
      },
    );

    it.each(['authenticatorData', 'signature', 'clientDataJSON'])('rejects garbage as %s', async (member) => {
      const { authenticator } = await addOwner();
      const { post, options } = await openSignIn();
      const credential = JSON.parse(authenticator.get(options));
      for (const garbage of ['', 'AA', '9'.repeat(4_000)]) {
        const response = { ...credential.response, [member]: garbage };
        expect((await post(JSON.stringify({ ...credential, response }))).status).toBe(400);
      }
    });
  });

  describe('the signature counter (WebAuthn §7.2, step 22)', () => {
    it('must increase where the authenticator counts; a fault is rejected and recorded', async () => {
      const { account, authenticator } = await addOwner({ counter: 5 });
      const signInAt = (counter: number) => signIn(Object.assign(authenticator, { counter }));
      expect(isSignedIn(await signInAt(6))).toBe(true);
      for (const counter of [6, 5, 0]) expect((await signInAt(counter)).status).toBe(400);
      expect(await findFailure(account.id)).toEqual({ method: 'passkey', reason: 'counter_reversed' });
      expect(await findPasskey(authenticator)).toMatchObject({ counter: 6 });
      expect(isSignedIn(await signInAt(7))).toBe(true);
    });

    it('is ignored where the authenticator does not count', async () => {
      const { authenticator } = await addOwner();
      expect(isSignedIn(await signIn(authenticator))).toBe(true);
      expect(isSignedIn(await signIn(authenticator))).toBe(true);
    });

    it('accepts one of two responses with the same count, even concurrently', async () => {
      const { authenticator } = await addOwner({ counter: 1 });
      authenticator.counter = 2;
      const pages = await Promise.all([signIn(authenticator), signIn(authenticator)]);
      expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    });
  });

  it('a removed passkey no longer signs in', async () => {
    const { account, authenticator } = await addOwner();
    const browser = await signInByPassword(server, account.email);
    await browser.submit(await browser.open(`/account/passkeys/${authenticator.id}`), 'remove-passkey');
    expect((await signIn(authenticator)).status).toBe(400);
  });
});
