import { randomBytes } from 'node:crypto';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const { ISSUER, API, CLIENT_ID, CLIENT_SECRET, PORT } = process.env;
const BASE_URL = `http://127.0.0.1:${PORT}`;
const SESSION_SECRET = randomBytes(32).toString('hex');

passport.use(
  new OpenIDConnectStrategy(
    {
      issuer: ISSUER,
      authorizationURL: `${ISSUER}/auth`,
      tokenURL: `${ISSUER}/token`,
      userInfoURL: `${ISSUER}/me`,
      clientID: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      callbackURL: `${BASE_URL}/callback`,
      scope: 'profile email offline_access tickets:read tickets:write',
      nonce: true,
    },
    (_issuer, profile, _context, _idToken, accessToken, refreshToken, done) =>
      done(null, { profile, accessToken, refreshToken }),
  ),
);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false }));
app.use(passport.session());
app.get('/sign-in', passport.authenticate('openidconnect'));
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/', failureMessage: true }));

app.get('/', async (request, response) => {
  const { profile, accessToken, refreshToken } = request.user;
  const headers = { Authorization: `Bearer ${accessToken}` };
  const created = await fetch(`${API}/tickets.json`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject: 'From Passport' }),
  });
  const listed = await fetch(`${API}/tickets.json`, { headers });
  const { tickets } = await listed.json();
  response.json({
    profile,
    isOffline: refreshToken !== undefined,
    created: created.status,
    subjects: tickets.map(({ subject }) => subject),
  });
});

app.listen(Number(PORT), '127.0.0.1');
