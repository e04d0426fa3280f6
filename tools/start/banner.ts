import { styleText } from 'node:util';
import type { DemoAccount } from './demo-accounts.ts';
import type { DemoClient } from './demo-clients.ts';

/** Formats the banner of `npm start`: URLs, accounts, and commands that create a ticket. */
export function banner({
  issuer,
  api,
  demo,
  accounts,
  seconds,
}: {
  issuer: string;
  api: string;
  demo: DemoClient | undefined;
  accounts: readonly DemoAccount[];
  seconds: number;
}): string {
  const where = [
    styleText('bold', `Keydesk is ready (${seconds.toFixed(1)} s)`),
    '',
    `  authorization server  ${issuer}`,
    `  helpdesk API          ${api}`,
    `  API documentation     ${api}/docs`,
  ];
  const shown = [...where, ...(demo ? trial(issuer, api, demo) : []), ...signIns(accounts, issuer)];
  const hint = 'Ctrl-C stops both. LOG_LEVEL=info npm start logs each request.';
  return ['', ...shown, '', hint, ''].join('\n');
}

function signIns(accounts: readonly DemoAccount[], issuer: string): string[] {
  if (accounts.length === 0) return [];
  const lines = accounts.map(({ email, password }) => `  ${email.padEnd(22)}  ${password}`);
  const heading = `People who can sign in at ${issuer}/sign-in; the passwords are shown only once:`;
  return ['', styleText('bold', heading), '', ...lines];
}

function trial(issuer: string, api: string, { client_id, client_secret }: DemoClient): string[] {
  return [
    '',
    styleText('bold', 'Create a ticket with a token: paste into another terminal'),
    '',
    `  TOKEN=$(curl -s ${issuer}/token -d grant_type=client_credentials \\`,
    `    -u '${client_id}:${client_secret}' \\`,
    `    | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    ...create(`${api}/tickets.json`, 'application/json', '{"subject":"The printer is on fire"}'),
    ...create(`${api}/tickets.xml`, 'application/xml', '<ticket><subject>It still burns</subject></ticket>'),
    `  curl -s -H "Authorization: Bearer $TOKEN" ${api}/tickets.json`,
    `  curl -s -H "Authorization: Bearer $TOKEN" ${api}/tickets.xml`,
  ];
}

function create(url: string, type: string, body: string): string[] {
  return [
    `  curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: ${type}' \\`,
    `    -d '${body}' ${url}`,
  ];
}
