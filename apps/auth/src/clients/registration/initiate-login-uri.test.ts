import { describe, expect, it } from 'vitest';
import { onEveryEngine } from '../../storage/engines.fixture.ts';
import { createRequest, signIn, startJourney } from '../../tests/people.fixture.ts';
import { useRegistrationServer, web } from './registration-server.fixture.ts';

onEveryEngine((engine) => {
  const { server, send, register } = useRegistrationServer(engine);

  describe('initiate_login_uri (OpenID Connect Core §4, Registration §2)', () => {
    it('is registered, returned and removed', async () => {
      const initiate_login_uri = 'https://app.example/login';
      const { body } = await register({ ...web, initiate_login_uri });
      expect(body).toMatchObject({ initiate_login_uri });
      const manage = (method: string, metadata?: object) =>
        send(method, String(body.registration_client_uri), String(body.registration_access_token), metadata);
      expect((await manage('GET')).body).toMatchObject({ initiate_login_uri });
      const replaced = await manage('PUT', { ...web, client_id: body.client_id });
      expect(replaced.status).toBe(200);
      expect(replaced.body).not.toHaveProperty('initiate_login_uri');
    });

    it.each(['http://app.example/login', 'javascript:alert(1)', 'https://a@b.example/', '/login'])(
      'is rejected as %s',
      async (initiate_login_uri) => {
        const { status, body } = await register({ ...web, initiate_login_uri });
        expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
        expect(body.error_description).toContain('initiate_login_uri');
      },
    );

    it('is linked on an expired sign-in page, with the issuer', async () => {
      const initiateLoginUri = 'https://app.example/login?a=b';
      const client = { homePage: 'https://printshop.example/', initiateLoginUri };
      const journey = await startJourney(server, { client });
      const page = await journey.browser.open((await createRequest(journey, { prompt: 'login' })).url);
      await signIn(journey, page);
      const { html } = await journey.browser.open(page.url);
      const [, href = ''] = /href="([^"]*)"[^>]* id="application"/.exec(html) ?? [];
      const query = new URLSearchParams({ a: 'b', iss: server.url });
      expect(href.replaceAll('&amp;', '&')).toBe(`https://app.example/login?${query}`);
    });
  });
});
