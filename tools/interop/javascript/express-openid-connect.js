import { randomBytes } from 'node:crypto';
import express from 'express';
import oidc from 'express-openid-connect';

const { auth, requiresAuth } = oidc;
const { ISSUER, API, CLIENT_ID, CLIENT_SECRET, PORT, RESPONSE_MODE } = process.env;
const BASE_URL = `http://127.0.0.1:${PORT}`;
const SESSION_SECRET = randomBytes(32).toString('hex');

const app = express();
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: BASE_URL,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SESSION_SECRET,
    authRequired: false,
    authorizationParams: {
      response_type: 'code',
      response_mode: RESPONSE_MODE,
      scope: 'openid profile email offline_access tickets:read tickets:write',
    },
  }),
);

app.get('/', requiresAuth(), async (request, response) => {
  const { idTokenClaims, accessToken } = request.oidc;
  const userinfo = await request.oidc.fetchUserInfo();

  const created = await fetch(`${API}/tickets.json`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${accessToken.access_token}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ subject: 'From Express' }),
  });
  const listed = await read(accessToken);
  const { tickets } = await listed.json();

  const refreshed = await accessToken.refresh();

  const again = await read(refreshed);
  response.json({
    claims: idTokenClaims,
    userinfo,
    created: created.status,
    subjects: tickets.map(({ subject }) => subject),
    again: again.status,
  });
});

function read({ access_token }) {
  return fetch(`${API}/tickets.json`, { headers: { Authorization: `Bearer ${access_token}` } });
}

app.listen(Number(PORT), '127.0.0.1');
