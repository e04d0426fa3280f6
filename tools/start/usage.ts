import { describeConfig, type Settings } from '@keydesk/config';

/** Formats the help text of `npm start`. */
export function usage(settings: Settings): string {
  const rows = describeConfig(settings).map((row) => ({
    ...row,
    description: row.default === '' ? row.description : `${row.description} (${row.default})`,
  }));
  const width = Math.max(...rows.map(({ env }) => env.length));
  return [
    'Usage: npm start',
    '',
    'Runs the authorization server and the helpdesk API until Ctrl-C. It takes no arguments and reads these',
    'environment variables:',
    '',
    ...rows.map(({ env, description }) => `  ${env.padEnd(width)}  ${description}`),
    '',
    'It passes all other variables to both apps; see the README.',
  ].join('\n');
}
