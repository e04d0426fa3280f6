import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ClientReport, GeneratedClient, RunCommand } from './client.ts';
import type { DemoKeydesk } from './demo-keydesk.ts';

export interface ClientRun {
  report: ClientReport;
  seconds: { generate: number; compile: number; run: number };
}

const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

/** Generates a client of the running API in a temporary folder, compiles it, and runs its program. */
export async function runClient(client: GeneratedClient, keydesk: DemoKeydesk): Promise<ClientRun> {
  const folder = await mkdtemp(join(tmpdir(), `keydesk-${client.language}-`));
  try {
    await copyProgram(client, folder);
    const document = join(folder, 'openapi.json');
    await writeFile(document, await (await fetch(`${keydesk.env.API}/openapi.json`)).text());
    const run = runIn(folder);
    const [generate] = await measure(() => client.generate(run, document));
    const [compile] = await measure(() => client.compile(run));
    const [running, printed] = await measure(() => client.start(run, keydesk.env));
    return { report: JSON.parse(printed), seconds: { generate, compile, run: running } };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function copyProgram({ language }: GeneratedClient, folder: string): Promise<void> {
  const source = join(import.meta.dirname, language);
  await cp(source, folder, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  const { TEST_OPENAPI_TOOLS: tools } = process.env;
  if (language === 'typescript' && tools) await symlink(tools, join(folder, 'node_modules'));
}

function runIn(cwd: string): RunCommand {
  return (command, args, env = {}) =>
    new Promise((resolve, reject) => {
      const options = { cwd, env: { ...process.env, ...env }, maxBuffer: OUTPUT_LIMIT_BYTES };
      execFile(command, args, options, (err, stdout, stderr) => {
        if (err)
          reject(new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: err }));
        else resolve(stdout);
      });
    });
}

async function measure<Result>(work: () => Promise<Result>): Promise<[seconds: number, result: Result]> {
  const startedAt = performance.now();
  const result = await work();
  return [(performance.now() - startedAt) / 1_000, result];
}
