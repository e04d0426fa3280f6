import { styleText } from 'node:util';
import type { DemoAccount } from './demo-accounts.ts';
import { DEMO_SCOPE, type DemoClient } from './demo-clients.ts';

/** What a person who just started Keydesk needs: where it is, and lines to paste that end in a ticket. */
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
    `  authorization server  ${issuer}`,
    `  helpdesk API          ${api}`,
  ];
  const shown = [...where, ...(demo ? trial(issuer, api, demo) : []), ...signIns(accounts)];
  return ['', ...shown, '', 'Ctrl-C stops both.', ''].join('\n');
}

function signIns(accounts: readonly DemoAccount[]): string[] {
  if (accounts.length === 0) return [];
  const lines = accounts.map(({ email, password }) => `  ${email.padEnd(22)}  ${password}`);
  return ['', 'People who can sign in; the passwords are shown this once:', '', ...lines];
}

function trial(issuer: string, api: string, { client_id, client_secret }: DemoClient): string[] {
  return [
    '',
    'Paste into another terminal to fetch a token, create a ticket and list the tickets:',
    '',
    `  TOKEN=$(curl -s -u '${client_id}:${client_secret}' -d grant_type=client_credentials -d 'scope=${DEMO_SCOPE}' ${issuer}/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"subject":"The printer is on fire"}' ${api}/tickets.json`,
    `  curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/xml' -d '<ticket><subject>It still burns</subject></ticket>' ${api}/tickets.xml`,
    `  curl -s -H "Authorization: Bearer $TOKEN" ${api}/tickets.json`,
    `  curl -s -H "Authorization: Bearer $TOKEN" ${api}/tickets.xml`,
  ];
}
