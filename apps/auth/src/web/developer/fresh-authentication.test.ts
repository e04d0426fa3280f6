import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { password } from '../../tests/test-server.fixture.ts';
import { fieldOf, LIST, register, usePortal, web } from './portal.fixture.ts';

const TEN_MINUTES_MS = 600_000;

onEveryEngine((engine) => {
  const portal = usePortal(engine);

  describe('a developer whose sign-in is more than ten minutes old (OWASP ASVS 5.0 §7.5.1)', () => {
    it('signs in again to register or edit an application, or to get a secret', async () => {
      const { browser, developer, server } = portal();
      const { id, path } = await register(browser);
      const [form, page] = [await browser.open(`${LIST}/new`), await browser.open(path)];
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TEN_MINUTES_MS });
      onTestFinished(() => void vi.useRealTimers());
      for (const address of [`${LIST}/new`, `${path}/edit`]) {
        const { url } = await browser.open(address);
        expect([url.pathname, url.searchParams.get('return_to')]).toEqual(['/sign-in', address]);
      }
      const posted = await browser.submit(form, 'application', { ...web, scopes: 'tickets:write' });
      expect(posted.url.pathname).toBe('/sign-in');
      const asked = await browser.submit(page, 'add-secret');
      expect(asked.url.searchParams.get('return_to')).toBe(path);
      expect((await server.clients.get(id)).secrets).toHaveLength(1);

      const invited = await browser.submit(page, 'invite', { invited_email: 'ada@example.org' });
      expect(invited.url.searchParams.get('return_to')).toBe(path);
      expect((await server.clients.get(id)).invitations).toEqual([]);

      const again = await browser.submit(asked, 'sign-in', { email: developer.email, password });
      expect(again.url.pathname).toBe(path);
      expect(fieldOf(await browser.submit(again, 'add-secret'), 'client_secret')).not.toBe('');
    });
  });
});
