import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { createHeldStorage, type HeldStorage } from '../../../artifacts/held-storage.fixture.ts';
import { onEveryEngine, useStorage } from '../../../storage/engines.fixture.ts';
import type { Storage } from '../../../storage/storage.ts';
import { createBrowser } from '../../../tests/browser.fixture.ts';
import { startTestServer } from '../../../tests/test-server.fixture.ts';
import { startMailbox } from '../mailbox.fixture.ts';
import { addPasskey, optionsIn, signInByPassword } from '../passkeys/passkey-pages.fixture.ts';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const mailbox = useStarted(startMailbox);
  let hold: HeldStorage['hold'];
  /** Runs once, right after the next end of all sign-ins. */
  let onEnded: (() => Promise<void>) | undefined;

  /** A storage in which others can act right after all sign-ins of an account have ended. */
  function withEndings({ accounts, ...others }: Storage): Storage {
    return {
      ...others,
      accounts: {
        ...accounts,
        async replace(account, version) {
          const outcome = await accounts.replace(account, version);
          const act = account.passwordHash === null ? onEnded : undefined;
          onEnded = act ? undefined : onEnded;
          await act?.();
          return outcome;
        },
      },
    };
  }

  const server = useStarted(() => {
    const held = createHeldStorage(storage.get());
    hold = held.hold;
    return startTestServer(withEndings(held.storage), { host: 'localhost', config: mailbox.config });
  });

  describe('a sign-in in flight while the owner disowns an earlier one (OWASP ASVS 5.0 §7.4.3)', () => {
    it('ends, if it was made with a passkey added since', async () => {
      const { email } = await server.addAccount();
      const passkey = await addPasskey(await signInByPassword(server, email), server.url);
      const owner = createBrowser(server.url);
      const form = await owner.open(await mailbox.linkTo(email, '/not-me'));

      const thief = createBrowser(server.url);
      const page = await thief.open('/sign-in');
      const response = passkey.get(optionsIn(page, 'request'));
      const isHeld = hold({ model: 'Session', after: 0 });
      let signIn: Promise<unknown> | undefined;
      let release: (() => void) | undefined;
      onEnded = async () => {
        signIn = thief.submit(page, 'sign-in-with-passkey', { passkey: response });
        ({ release } = await isHeld);
      };
      expect((await owner.submit(form, 'disown-sign-in')).url.pathname).toBe('/check-mail');
      release?.();
      await signIn;
      expect((await thief.open('/account')).url.pathname).toBe('/sign-in');
    });
  });
});
