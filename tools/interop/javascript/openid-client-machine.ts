import * as oidc from 'openid-client';

const { ISSUER = '', API = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;

const config = await oidc.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET);
const tokens = await oidc.clientCredentialsGrant(config, { scope: 'tickets:read tickets:write' });
const tickets = new URL('/tickets.json', API);
const { status } = await oidc.fetchProtectedResource(config, tokens.access_token, tickets, 'GET');

console.log(JSON.stringify({ scope: tokens.scope, status }));
