import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import { genericOAuth } from 'better-auth/plugins';
import express from 'express';

const { ISSUER, API, CLIENT_ID, CLIENT_SECRET, PORT } = process.env;
const BASE_URL = `http://127.0.0.1:${PORT}`;
const BETTER_AUTH_SECRET = randomBytes(32).toString('hex');

const options = {
  baseURL: BASE_URL,
  secret: BETTER_AUTH_SECRET,
  database: new DatabaseSync(':memory:'),
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'keydesk',
          discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          scopes: ['openid', 'profile', 'email', 'offline_access', 'tickets:read', 'tickets:write'],
          pkce: true,
          requireIdTokenVerification: true,
        },
      ],
    }),
  ],
};
const { runMigrations } = await getMigrations(options);
await runMigrations();
const auth = betterAuth(options);

const app = express();
app.all('/api/auth/*auth', toNodeHandler(auth));

app.get('/sign-in', async (_request, response) => {
  const { headers, response: answer } = await auth.api.signInSocial({
    body: { provider: 'keydesk', callbackURL: '/' },
    returnHeaders: true,
  });
  response.setHeader('Set-Cookie', headers.getSetCookie()).redirect(answer.url);
});

app.get('/', async (request, response) => {
  const headers = fromNodeHeaders(request.headers);
  const { user } = await auth.api.getSession({ headers });
  const accounts = await auth.api.listUserAccounts({ headers });
  const account = { accountId: accounts.find(({ providerId }) => providerId === 'keydesk').id };
  const { accessToken, scopes } = await auth.api.getAccessToken({ body: account, headers });

  const created = await fetch(`${API}/tickets.json`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject: 'From better-auth' }),
  });
  const listed = await read(accessToken);
  const { tickets } = await listed.json();
  const refreshed = await auth.api.refreshToken({ body: account, headers });
  const again = await read(refreshed.accessToken);
  response.json({
    user,
    scope: scopes,
    created: created.status,
    subjects: tickets.map(({ subject }) => subject),
    again: again.status,
  });
});

function read(accessToken) {
  return fetch(`${API}/tickets.json`, { headers: { Authorization: `Bearer ${accessToken}` } });
}

app.listen(Number(PORT), '127.0.0.1');
