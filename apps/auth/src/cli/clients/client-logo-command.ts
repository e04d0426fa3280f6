import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { MAX_LOGO_BYTES } from '../../clients/logo/client-logo.ts';
import { type CliContext, CliError, withClients } from '../kit/context.ts';
import { toJson } from '../kit/output.ts';

interface LogoOptions {
  remove?: boolean;
  json?: boolean;
}

/** Adds the command `client set-logo`. */
export function addLogoCommand(group: Command, context: CliContext): void {
  group
    .command('set-logo')
    .description('set, replace or remove the logo of a client')
    .argument('<client-id>')
    .argument('[file]', `PNG, JPEG or WebP image of at most ${MAX_LOGO_BYTES / 1_000} KB`)
    .option('--remove', 'remove the logo')
    .option('--json', 'print JSON')
    .action(async (id: string, path: string | undefined, { remove = false, json }: LogoOptions) => {
      if ((path === undefined) !== remove) throw new CliError('Pass either a file or --remove.');
      const file = path === undefined ? null : readFile(path);
      const client = await withClients(context, (clients) => clients.setLogo(id, file));
      const answer = { client_id: id, logo: client.logoDigest, verified: client.isVerified };
      const done = file === null ? 'no longer has a logo' : 'has a new logo';
      context.print(json ? toJson(answer) : `Client ${id} (${client.name}) ${done}.\n`);
    });
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new CliError(`Cannot read ${path}.`, { cause });
  }
}
