import Provider from 'oidc-provider';

/**
 * Upstream provider of the tests: oidc-provider with its defaults and its own development pages, which
 * accept every login and password. Arguments: its port and the issuer of this server.
 */
const [port = '', issuer = ''] = process.argv.slice(2);
const host = `http://127.0.0.1:${port}`;

const provider = new Provider(host, {
  clients: [
    {
      client_id: 'keydesk',
      client_secret: 'secret of the client',
      redirect_uris: [`${issuer}/sign-in/with/bare/callback`],
      post_logout_redirect_uris: [`${issuer}/session/end/success`],
      backchannel_logout_uri: `${issuer}/sign-in/with/bare/back-channel-log-out`,
      backchannel_logout_session_required: true,
    },
  ],
  // Without its dispatcher, which refuses loopback addresses, at which this server listens.
  fetch: (url, { method, headers, body, redirect }: RequestInit = {}) =>
    fetch(url, { method, headers, body, redirect } as RequestInit),
  features: { backchannelLogout: { enabled: true } },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: 'Ada', email: `${id}@trusted.example`, email_verified: true }),
  }),
});
provider.listen(Number(port), '127.0.0.1');
