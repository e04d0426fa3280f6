import { ConfigError, loadConfig } from '@keydesk/config';
import { describe, expect, it } from 'vitest';
import { passkeySettings } from '../../../accounts/account/passkey-settings.ts';
import { createAuthenticator } from '../../../accounts/passkeys/authenticator.fixture.ts';
import { createRelyingParty } from '../../../accounts/passkeys/relying-party.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import { createBrowser } from '../../../tests/browser.fixture.ts';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../../tests/test-server.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from './passkey-pages.fixture.ts';

const RELATED = 'https://example.com';

onEveryEngine((engine) => {
  const storage = useStorage(engine);

  async function withServer(
    config: TestServerOptions['config'],
    use: (server: TestServer) => Promise<void>,
  ): Promise<void> {
    const server = await startTestServer(storage.get(), { host: 'localhost', ...(config && { config }) });
    try {
      await use(server);
    } finally {
      await server.stop();
    }
  }

  /** Signs in with a passkey in a new browser; returns the status. */
  async function signIn({ url }: TestServer, authenticator: ReturnType<typeof createAuthenticator>) {
    const browser = createBrowser(url);
    const page = await browser.open('/sign-in');
    const passkey = authenticator.get(optionsIn(page, 'request'));
    return (await browser.submit(page, 'sign-in-with-passkey', { passkey })).status;
  }

  describe('attempts with passkeys', () => {
    it('are limited per network, apart from wrong passwords', async () => {
      await withServer({ signInFailuresPerNetwork: 2 }, async (server) => {
        const { email } = await server.addAccount();
        const owned = await addPasskey(await signInByPassword(server, email), server.url);
        const attempts = [];
        for (const each of [owned, 'unknown', owned, 'unknown', owned] as const)
          attempts.push(await signIn(server, each === 'unknown' ? createAuthenticator(server.url) : each));
        expect(attempts).toEqual([200, 400, 200, 400, 429]);
        const byPassword = await signInByPassword(server, email);
        expect((await byPassword.open('/account')).url.pathname).toBe('/account');
      });
    });
  });

  describe('related origins (WebAuthn §5.11)', () => {
    it('are published, and their responses are accepted', async () => {
      await withServer({ webauthnRelatedOrigins: [RELATED] }, async (server) => {
        const list = await fetch(`${server.url}/.well-known/webauthn`);
        expect(await list.json()).toEqual({ origins: [server.url, RELATED] });
        const { email } = await server.addAccount();
        const authenticator = await addPasskey(await signInByPassword(server, email), server.url);
        expect(await signIn(server, Object.assign(authenticator, { origin: RELATED }))).toBe(200);
        expect(await signIn(server, Object.assign(authenticator, { origin: `${RELATED}:8443` }))).toBe(400);
      });
    });
  });
});

describe('WEBAUTHN_RELATED_ORIGINS', () => {
  it('lists https origins, separated by spaces or commas', () => {
    const env = { WEBAUTHN_RELATED_ORIGINS: 'https://example.com, https://example.org:8443' };
    expect(loadConfig(passkeySettings, env).webauthnRelatedOrigins).toEqual([
      'https://example.com',
      'https://example.org:8443',
    ]);
    expect(loadConfig(passkeySettings, {}).webauthnRelatedOrigins).toEqual([]);
  });

  it.each(['http://example.com', 'https://example.com/', 'example.com', 'https://*.example.com/x'])(
    'rejects %s',
    (text) => {
      expect(() => loadConfig(passkeySettings, { WEBAUTHN_RELATED_ORIGINS: text })).toThrow(ConfigError);
    },
  );
});

describe('the RP ID (WebAuthn §5.1.3, step 8)', () => {
  it.each([
    ['https://auth.example.com', 'auth.example.com'],
    ['https://auth.example.com:8443', 'auth.example.com'],
    ['http://localhost:3000', 'localhost'],
    ['http://127.0.0.1:3000', undefined],
    ['https://192.0.2.1', undefined],
    ['https://[2001:db8::1]', undefined],
    ['http://auth.example.com', undefined],
  ])('of %s is %s', (issuer, id) => {
    expect(createRelyingParty({ issuer, serviceName: 'Acme', relatedOrigins: [] })?.id).toBe(id);
  });
});
