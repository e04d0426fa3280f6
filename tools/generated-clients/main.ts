import { isDeepStrictEqual } from 'node:util';
import { readCommandLine } from '@keydesk/testing';
import { expectedReport, type GeneratedClient } from './client.ts';
import { findMissing, generatedClients } from './clients.ts';
import { type DemoKeydesk, startDemoKeydesk } from './demo-keydesk.ts';
import { runClient } from './run-client.ts';

const languages = generatedClients.map(({ language }) => language);
const usage = `Usage: tools/generated-clients.sh [LANGUAGE …]

Generates clients of /openapi.json, compiles and runs them. Languages: ${languages.join(', ')}
(default: all with installed tools). Exits with 1 when a client fails or the tools of a given language are missing.`;
const { positionals } = readCommandLine(usage, { allowPositionals: true });

process.exitCode = (await main(positionals)) ? 0 : 1;

/** Whether every client works. */
async function main(chosen: readonly string[]): Promise<boolean> {
  const unknown = chosen.filter((language) => !languages.includes(language));
  if (unknown.length > 0) {
    console.error(`Unknown language ${unknown.join(', ')}; use ${languages.join(', ')}.`);
    return false;
  }
  const keydesk = await startDemoKeydesk();
  try {
    let isGood = true;
    for (const client of generatedClients) {
      if (chosen.length > 0 && !chosen.includes(client.language)) continue;
      const missing = findMissing(client);
      if (missing.length === 0) isGood = (await tryClient(client, keydesk)) && isGood;
      else if (chosen.length > 0) isGood = false;
      if (missing.length > 0) console.log(`skipped ${client.language}: needs ${missing.join(', ')}`);
    }
    return isGood;
  } finally {
    await keydesk.stop();
  }
}

async function tryClient(client: GeneratedClient, keydesk: DemoKeydesk): Promise<boolean> {
  try {
    const { report, seconds } = await runClient(client, keydesk);
    const isGood = isDeepStrictEqual(report, expectedReport);
    const times = Object.entries(seconds).map(([step, each]) => `${step} ${each.toFixed(1)} s`);
    console.log(
      `${isGood ? 'ok     ' : 'FAILED '} ${client.language} (${client.tools}): ${times.join(', ')}`,
    );
    if (!isGood) console.log(JSON.stringify(report));
    return isGood;
  } catch (err) {
    console.log(`FAILED  ${client.language}: ${err instanceof Error ? err.message : String(err)}`);
    return false;
  }
}
