import { expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createBrowser, type Page } from '../../tests/browser.fixture.ts';
import { isSignedIn, newAddress, newUser, signIn, useUpstreamServer } from './upstream-server.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  /** Runs once, before the server reads the identities of an account. */
  let interrupt: (() => Promise<unknown>) | undefined;

  function getInterrupted() {
    const { identities, ...others } = storage.get();
    async function find(accountId: string) {
      const run = interrupt;
      interrupt = undefined;
      await run?.();
      return identities.find(accountId);
    }
    return { ...others, identities: { ...identities, find } };
  }
  const used = useUpstreamServer({ ...storage, get: getInterrupted });

  it('keep the new account that a concurrent sign-in of its user finds by the address', async () => {
    const email = newAddress();
    used.upstream.user = newUser(email);
    const browser = createBrowser(used.server.url);
    let other: Page | undefined;
    interrupt = async () => {
      other = await signIn(used, browser);
    };
    expect(isSignedIn(await signIn(used, createBrowser(used.server.url)))).toBe(true);
    expect(other && isSignedIn(other)).toBe(true);
    expect(isSignedIn(await browser.open('/account'))).toBe(true);
    expect(await used.server.accounts.findByEmail(email)).toBeDefined();
  });
});
