import { randomBytes } from 'node:crypto';
import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';

const { ISSUER, API, CLIENT_ID, CLIENT_SECRET, PORT } = process.env;
const AUTH_SECRET = randomBytes(32).toString('hex');

const config = {
  secret: AUTH_SECRET,
  trustHost: true,
  providers: [
    {
      id: 'keydesk',
      name: 'Keydesk',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: {
        params: { scope: 'openid profile email offline_access tickets:read tickets:write' },
      },
    },
  ],
  callbacks: {
    // `account` is present only at sign-in; the session cookie stores the encrypted token.
    jwt: ({ token, account }) => (account ? { ...token, account } : token),
    session: ({ session, token }) => ({ ...session, account: token.account }),
  },
};

const app = express();
// On Express 4: app.use('/auth/*', ExpressAuth(config));
app.use(/^\/auth\/(.*)$/, ExpressAuth(config));

app.get('/', async (request, response) => {
  const { user, account } = await getSession(request, config);
  const headers = { Authorization: `Bearer ${account.access_token}` };
  const created = await fetch(`${API}/tickets.json`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject: 'From Auth.js' }),
  });
  const listed = await fetch(`${API}/tickets.json`, { headers });
  const { tickets } = await listed.json();
  response.json({
    user,
    scope: account.scope,
    isOffline: account.refresh_token !== undefined,
    created: created.status,
    subjects: tickets.map(({ subject }) => subject),
  });
});

app.listen(Number(PORT), '127.0.0.1');
