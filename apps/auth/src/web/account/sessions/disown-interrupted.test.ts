import { AppError } from '@keydesk/server';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { updateDocument } from '../../../accounts/credentials/change-document.ts';
import { createFactors } from '../../../accounts/factors/factors.ts';
import { createPasskey } from '../../../accounts/factors/passkey.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type Browser, createBrowser, type Page } from '../../../tests/browser.fixture.ts';
import { password, startTestServer } from '../../../tests/test-server.fixture.ts';
import { startMailbox } from '../mailbox.fixture.ts';

/** Process that is killed before one of its next calls of the storage: this call and all later ones fail. */
interface Mortal {
  storage: Storage;
  killAfter(calls: number): void;
  revive(): void;
}

function createMortal(storage: Storage): Mortal {
  let callsLeft = Number.POSITIVE_INFINITY;

  function withDeath<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          callsLeft -= 1;
          if (callsLeft < 0) throw new AppError('unavailable', 'The process was killed.');
          return member.apply(target, args);
        };
      },
    });
  }

  return {
    storage: {
      ...storage,
      accounts: withDeath(storage.accounts),
      accountTokens: withDeath(storage.accountTokens),
      artifacts: withDeath(storage.artifacts),
      audit: withDeath(storage.audit),
      credentials: withDeath(storage.credentials),
      factors: withDeath(storage.factors),
      identities: withDeath(storage.identities),
    },
    killAfter(calls) {
      callsLeft = calls;
    },
    revive() {
      callsLeft = Number.POSITIVE_INFINITY;
    },
  };
}

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  let process: Mortal;
  const server = useStarted(() => {
    process = createMortal(storage.get());
    return startTestServer(process.storage, { config: mailbox.config });
  });

  async function signIn(browser: Browser, email: string): Promise<Page> {
    return browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
  }

  /** Changes the address of an account and adds a passkey to it, as a thief with the password does. */
  async function steal({ id, email }: { id: string; email: string }) {
    const thief = createBrowser(server.url);
    await signIn(thief, email);
    const signInLink = await mailbox.linkTo(email, '/not-me');
    const thiefsEmail = `thief-of-${email}`;
    await changeEmail(thief, thiefsEmail);
    await changeEmail(thief, `again-${thiefsEmail}`);
    const stored = (await storage.get().factors.find(id)) ?? createFactors(id);
    const passkeys = [createPasskey({ createdAt: new Date(Date.now() + 1_000) })];
    await storage.get().factors.replace(updateDocument(stored, { passkeys }), stored.version);
    return { thief, signInLink, laterLink: await mailbox.linkTo(thiefsEmail, '/not-me') };
  }

  async function changeEmail(browser: Browser, email: string): Promise<void> {
    const form = await browser.open('/account/email');
    await browser.submit(form, 'change-email', { email, current_password: password });
    await browser.submit(await browser.open(await mailbox.linkTo(email, '/confirm-email')), 'verify-email');
  }

  describe('a server that is killed while the owner disowns a sign-in (OWASP ASVS 5.0 §7.4.3)', () => {
    it('leaves a link that works again, or nothing of the other person', { timeout: 600_000 }, async () => {
      for (let calls = 0; ; calls += 1) {
        const { id, email } = await server.addAccount();
        const { thief, signInLink, laterLink } = await steal({ id, email });
        const owner = createBrowser(server.url);
        const form = await owner.open(signInLink);
        process.killAfter(calls);
        const answer = await owner.submit(form, 'disown-sign-in');
        process.revive();
        if (answer.status !== 200) {
          const again = await owner.submit(await owner.open(signInLink), 'disown-sign-in');
          expect(again.url.pathname, `killed after ${calls} calls`).toBe('/check-mail');
          await mailbox.linkTo(email, '/reset-password');
        }
        const account = await server.accounts.get(id);
        expect(account, `killed after ${calls} calls`).toMatchObject({ email, passwordHash: null });
        expect((await storage.get().factors.find(id))?.passkeys).toEqual([]);
        expect((await thief.open('/account')).url.pathname).toBe('/sign-in');
        expect((await thief.open(laterLink)).status).toBe(400);
        if (answer.status === 200) break;
      }
    });
  });
});
