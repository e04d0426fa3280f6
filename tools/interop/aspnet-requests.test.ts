import { createHash, randomBytes } from 'node:crypto';
import { useStarted } from '@keydesk/testing';
import { describe, expect, it } from 'vitest';
import { startKeydesk } from './keydesk.fixture.ts';

const REDIRECT_URI = 'https://app.example/signin-oidc';

describe('the requests that ASP.NET Core 9 sends by default', () => {
  const keydesk = useStarted(startKeydesk);

  const post = (path: string, form: Record<string, string>) =>
    fetch(`${keydesk.issuer}${path}`, { method: 'POST', body: new URLSearchParams(form) });

  it('are accepted: pushed, with the secret in the body and form_post (RFC 9126 §2.1)', async () => {
    const client = await keydesk.register('ASP.NET', 'web', '--redirect-uri', REDIRECT_URI);
    const credentials = { client_id: client.CLIENT_ID ?? '', client_secret: client.CLIENT_SECRET ?? '' };
    const verifier = randomBytes(32).toString('base64url');
    const pushed = await post('/request', {
      ...credentials,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      response_mode: 'form_post',
      scope: 'openid profile email offline_access tickets:read',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      nonce: randomBytes(32).toString('base64url'),
      // The middleware stores its encrypted state here.
      state: randomBytes(300).toString('base64url'),
      'x-client-SKU': 'ID_NET9_0',
      'x-client-ver': '8.0.1.0',
    });
    expect(pushed.status).toBe(201);
    const { request_uri } = (await pushed.json()) as { request_uri: string };

    const request = new URLSearchParams({ client_id: credentials.client_id, request_uri });
    const { html } = await keydesk.authorize(`${keydesk.issuer}/auth?${request}`);
    expect(html).toContain(`action="${REDIRECT_URI}"`);
    const [, code = ''] = /name="code" value="([^"]+)"/.exec(html) ?? [];
    const answer = await post('/token', {
      ...credentials,
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    });
    expect(await answer.json()).toMatchObject({
      id_token: expect.any(String),
      refresh_token: expect.any(String),
    });
  });
});
