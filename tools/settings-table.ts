import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfig, type Settings } from '@keydesk/config';
import { settings as authSettings } from '../apps/auth/src/config.ts';
import { settings as apiSettings } from '../apps/tickets-api/src/config.ts';

// Prints the table of docs/settings.md from the schemas of the settings; `npm run settings` updates the page.
const table = settingsTable({ auth: authSettings, api: apiSettings });
if (process.argv.includes('--write')) {
  const file = join(import.meta.dirname, '..', 'docs', 'settings.md');
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), table));
} else console.log(table);

/** Formats one row per variable with the apps that read it. */
function settingsTable(apps: Readonly<Record<string, Settings>>): string {
  const rows = new Map<string, { apps: string[]; default: string; description: string }>();
  for (const [app, settings] of Object.entries(apps)) {
    for (const row of describeConfig(settings)) {
      const known = rows.get(row.env);
      if (known) known.apps.push(app);
      else rows.set(row.env, { ...row, apps: [app] });
    }
  }
  const lines = [...rows].map(
    ([env, row]) =>
      `| \`${env}\` | ${row.apps.join(', ')} | ${row.default && `\`${row.default}\``} | ${row.description} |`,
  );
  return ['| variable | read by | default | what it is for |', '|---|---|---|---|', ...lines].join('\n');
}

function withTable(page: string, rows: string): string {
  return page.replace(/(<!-- settings[^\n]*-->\n)[\s\S]*?(<!-- \/settings -->)/, `$1${rows}\n$2`);
}
