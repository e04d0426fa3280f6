import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../storage/engines.fixture.ts';
import { createBrowser } from '../tests/browser.fixture.ts';
import { password, startTestServer } from '../tests/test-server.fixture.ts';

const origin = { address: '127.0.0.1' };

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  describe('a removed account (OWASP ASVS 5.0 §14.2.7)', () => {
    it('leaves its audit records, without any of its addresses', async () => {
      const { id: accountId, email } = await server.addAccount({ email: 'ada.quillfeather@example.org' });
      const newEmail = 'ada.inkwell@example.org';
      const browser = createBrowser(server.url);
      await browser.submit(await browser.open('/sign-in'), 'sign-in', { email, password });
      const change = { email: newEmail, current_password: password };
      await browser.submit(await browser.open('/account/email'), 'change-email', change);
      const recorded = () => storage.get().audit.list({ accountId, limit: 100 });
      expect(JSON.stringify(await recorded())).toContain(newEmail);

      await server.accounts.remove(accountId, origin);
      const records = await recorded();
      expect(records.map(({ type }) => type)).toEqual([
        'account.email_change_requested',
        'account.signed_in',
      ]);
      for (const address of [email, newEmail]) {
        expect(JSON.stringify(records)).not.toContain(address);
        expect(await storage.get().accounts.findByEmail(address)).toBeUndefined();
        expect(server.logged()).not.toContain(address);
      }
    });
  });
});
