import { UserManager } from 'oidc-client-ts';

const { issuer, api, clientId, redirectUri } = await (await fetch('/settings.json')).json();

const manager = new UserManager({
  authority: issuer,
  client_id: clientId,
  redirect_uri: redirectUri,
  scope: 'openid profile email offline_access tickets:read tickets:write',
});

if (new URLSearchParams(location.search).has('state')) await comeBack();
else await manager.signinRedirect();

async function comeBack() {
  const user = await manager.signinCallback();

  const created = await fetch(`${api}/tickets.json`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${user.access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject: 'From oidc-client-ts' }),
  });
  const { tickets } = await get(`${api}/tickets.json`, user).then((response) => response.json());

  const endpoint = await manager.metadataService.getUserInfoEndpoint();
  const userinfo = await get(endpoint, user).then((response) => response.json());
  const claims = user.profile;
  const { scopes } = user;

  const refreshed = await manager.signinSilent();

  const { status } = await get(`${api}/tickets.json`, refreshed);
  show({
    claims,
    userinfo,
    scope: scopes,
    created: created.status,
    subjects: tickets.map(({ subject }) => subject),
    refreshed: { scope: refreshed.scopes, status },
  });
}

function get(url, { access_token }) {
  return fetch(url, { headers: { Authorization: `Bearer ${access_token}` } });
}

function show(report) {
  const output = document.createElement('pre');
  output.id = 'report';
  output.textContent = JSON.stringify(report);
  document.body.append(output);
}
