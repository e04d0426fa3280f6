import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { IdentityProvider } from '../../accounts/identities/identity-provider.ts';
import type { UsedStorage } from '../../storage/engines.fixture.ts';
import { type Browser, createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { startTestServer, type TestServer } from '../../tests/test-server.fixture.ts';
import { type HostileProvider, startHostileProvider } from './hostile-provider.fixture.ts';

/** Domain for which the provider is trusted. */
export const trusted = 'trusted.example';

/** A server with the providers `acme`, which is trusted for one domain, and `other`. */
export interface UpstreamServer {
  server: TestServer;
  upstream: HostileProvider;
  other: HostileProvider;
}

/** Starts the server and the providers before the tests of a suite. @param own further members of `acme` */
export function useUpstreamServer(storage: UsedStorage, own: Partial<IdentityProvider> = {}): UpstreamServer {
  const used = {} as UpstreamServer;
  beforeAll(async () => {
    [used.upstream, used.other] = await Promise.all([startHostileProvider(), startHostileProvider()]);
    const members: Partial<IdentityProvider> = {
      trustedDomains: [trusted],
      homeDomains: ['home.example'],
      isAuthenticationTrusted: true,
      multiFactorAcrs: ['gold'],
      isLogOutOffered: true,
      ...own,
    };
    const others = { id: 'other', name: 'Other', allowedDomains: ['allowed.example'], isSignUpOpen: false };
    const identityProviders = [used.upstream.toProvider(members), used.other.toProvider(others)];
    used.server = await startTestServer(storage.get(), {
      config: { identityProviders, secondFactorRequiredFor: ['agent'], secondFactorGraceDays: 0 },
    });
  });
  afterAll(async () => {
    await used.server.stop();
    await Promise.all([used.upstream.stop(), used.other.stop()]);
  });
  afterEach(() => {
    for (const provider of [used.upstream, used.other]) provider.misbehavior = {};
    used.server.time.ahead = 0;
  });
  return used;
}

/** Returns a user of a provider, whose address is verified. */
export function newUser(email: string | undefined, claims: object = {}): HostileProvider['user'] {
  const verified = email === undefined ? {} : { email, email_verified: true };
  return { sub: randomUUID(), name: 'Ada', ...verified, ...claims };
}

export function newAddress(domain = trusted): string {
  return `${randomUUID()}@${domain}`;
}

/** Signs in at the provider `acme` and returns to the server. */
export async function signIn({ upstream }: UpstreamServer, browser: Browser, query = ''): Promise<Page> {
  const left = await browser.open(`/sign-in/with/acme${query}`);
  return browser.open(await upstream.authorize(left.url));
}

/** Signs in as a user of `acme` in a new browser. */
export async function signInAs(used: UpstreamServer, user: HostileProvider['user']): Promise<Page> {
  used.upstream.user = user;
  return signIn(used, createBrowser(used.server.url));
}

export function isSignedIn(page: Page): boolean {
  return page.url.pathname === '/account' && page.status === 200;
}

export function noticeOf({ html }: Page): string | undefined {
  return /id="notice">.*?<p>(.*?)<\/p>/s.exec(html)?.[1];
}
