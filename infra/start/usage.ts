import { describeConfig, type Settings } from '@keydesk/config';

/** What `npm start -- --help` tells. */
export function usage(settings: Settings): string {
  const rows = describeConfig(settings).map((row) => ({
    ...row,
    description: row.default === '' ? row.description : `${row.description} (${row.default})`,
  }));
  const width = Math.max(...rows.map(({ env }) => env.length));
  return [
    'Usage: npm start',
    '',
    'Runs the authorization server and the helpdesk API until Ctrl-C. It takes no arguments; it reads, from the',
    'environment:',
    '',
    ...rows.map(({ env, description }) => `  ${env.padEnd(width)}  ${description}`),
    '',
    'and hands on everything else that the two read: see the README.',
  ].join('\n');
}
