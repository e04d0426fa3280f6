import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { onEveryEngine, useStorage } from '../../storage/engines.fixture.ts';
import { createRequest, signIn, startJourney } from '../../tests/people.fixture.ts';
import { startTestServer } from '../../tests/test-server.fixture.ts';

const IDENTITY = 'your name and e-mail address';

onEveryEngine((engine) => {
  const storage = useStorage(engine);
  const server = useStarted(() => startTestServer(storage.get()));

  async function openConsent(scope: string): Promise<string> {
    const journey = await startJourney(server);
    const { url } = await createRequest(journey, { scope, prompt: '' });
    return (await signIn(journey, await journey.browser.open(url))).html;
  }

  describe('the consent page', () => {
    it.each(['openid tickets:read', 'openid tickets:write', 'openid email tickets:read tickets:write'])(
      'for "%s" shows that the application receives the name and the e-mail address',
      async (scope) => {
        expect(await openConsent(scope)).toContain(IDENTITY);
      },
    );

    it.each(['openid', 'openid profile email'])('for "%s" does not show it separately', async (scope) => {
      expect(await openConsent(scope)).not.toContain(IDENTITY);
    });

    it('shows it only once if the profile and e-mail scopes are requested, too', async () => {
      const html = await openConsent('openid profile email tickets:read');
      expect(html).toContain('See your e-mail address');
      expect(html).not.toContain(IDENTITY);
    });
  });
});
