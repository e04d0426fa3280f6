import type { Command } from 'commander';
import type { CliContext } from '../kit/context.ts';
import { toJson } from '../kit/output.ts';
import type { TokenRequestOptions } from './request-token.ts';

/** Adds the command `token`, which requests a token from the running server. */
export function addTokenCommand(program: Command, context: CliContext): void {
  program
    .command('token')
    .description('request an access token from the running server (for testing)')
    .option('--client-id <id>', 'client id (or KEYDESK_CLIENT_ID; default: the demo client of `npm start`)')
    .option('--client-secret <secret>', 'client secret, - for standard input (or KEYDESK_CLIENT_SECRET)')
    .option('--scope <scopes>', 'scopes of the token (default: all scopes of the client)')
    .option('--resource <url>', 'resource of the token (default: the API)')
    .option('--issuer <url>', 'issuer URL (default: from the environment or the last start)')
    .option('--json', 'print the whole response as JSON instead of only the token')
    .action(async (options: TokenRequestOptions & { json?: boolean }) => {
      const { requestToken } = await import('./request-token.ts');
      const response = await requestToken(options, context);
      context.print(options.json ? toJson(response) : `${response.access_token}\n`);
    });
}
