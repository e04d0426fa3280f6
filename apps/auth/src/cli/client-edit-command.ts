import { readFileSync } from 'node:fs';
import { JsonTextError, parseJson } from '@keydesk/http';
import { type Command, Option } from 'commander';
import type { Client, IdTokenAlgorithm } from '../clients/client.ts';
import type { ClientEdit } from '../clients/client-rules.ts';
import { pkceChoices } from '../clients/client-security.ts';
import { apiScopes } from '../scopes.ts';
import { authorizationResponseAlgOption, toSecurity } from './client-security-commands.ts';
import { type CliContext, CliError, withClients } from './context.ts';

/** What `addEditableOptions` makes of the command line. */
export interface EditableOptions {
  scope?: string;
  homePage?: string;
  policyUri?: string;
  tosUri?: string;
  jwks?: string;
  redirectUri?: string[];
  postLogoutRedirectUri?: string[];
  backchannelLogoutUri?: string;
  initiateLoginUri?: string;
}

interface EditOptions extends EditableOptions {
  name?: string;
  pkce?: (typeof pkceChoices)[number];
  authorizationResponseAlg?: IdTokenAlgorithm;
  json?: boolean;
}

/** The options of what a client is told at first and may be told anew. */
export function addEditableOptions(command: Command): Command {
  return command
    .option('--home-page <url>', 'where people can read about it: an https URL')
    .option('--policy-uri <url>', 'where they can read what it does with their data, likewise')
    .option('--tos-uri <url>', 'where they can read its terms of service, likewise')
    .option('--scope <scopes>', `what it may ask for, of: ${apiScopes.join(' ')}`)
    .option('--jwks <file>', 'JSON Web Key Set of its public keys, for private_key_jwt')
    .option('--redirect-uri <uri>', 'where people come back to; may be given several times', append)
    .option('--post-logout-redirect-uri <uri>', 'where they go after log-out; likewise', append)
    .option('--backchannel-logout-uri <uri>', 'where it wants to be told that somebody signed out')
    .option('--initiate-login-uri <uri>', 'its page that starts a sign-in (OpenID Connect Core §4)');
}

/** What of a client these options tell; empty text is none. */
export function toEdit(options: EditableOptions): Partial<ClientEdit> {
  const { scope, jwks, redirectUri, postLogoutRedirectUri } = options;
  const { homePage, policyUri, tosUri, backchannelLogoutUri, initiateLoginUri } = options;
  return {
    ...(homePage !== undefined && { homePage: homePage || null }),
    ...(policyUri !== undefined && { policyUri: policyUri || null }),
    ...(tosUri !== undefined && { tosUri: tosUri || null }),
    ...(backchannelLogoutUri !== undefined && { backchannelLogoutUri: backchannelLogoutUri || null }),
    ...(initiateLoginUri !== undefined && { initiateLoginUri: initiateLoginUri || null }),
    ...(scope !== undefined && { scopes: scope.split(/\s+/).filter(Boolean) }),
    ...(jwks !== undefined && { jwks: readJson(jwks) }),
    ...(redirectUri && { redirectUris: redirectUri.filter(Boolean) }),
    ...(postLogoutRedirectUri && { postLogoutRedirectUris: postLogoutRedirectUri.filter(Boolean) }),
  };
}

/** `client edit`: what was given at registration, given anew. */
export function addEditCommand(
  noun: Command,
  context: CliContext,
  print: (client: Client, isJson: boolean | undefined) => void,
): void {
  addEditableOptions(noun.command('edit'))
    .description('change what is given of a client, from its next request on; an empty value takes it back')
    .argument('<client-id>')
    .option('--name <name>', 'a name that people recognise it by')
    .addOption(
      new Option('--pkce <pkce>', 'optional: accept a nonce instead, from a web client').choices(pkceChoices),
    )
    .addOption(authorizationResponseAlgOption())
    .option('--json', 'print JSON')
    .action(async (id: string, options: EditOptions) => {
      const { name, pkce, json } = options;
      const security = {
        ...toSecurity(options),
        ...(pkce !== undefined && { isPkceOptional: pkce === 'optional' }),
      };
      const changes = { ...toEdit(options), ...(name !== undefined && { name }) };
      if (Object.keys({ ...changes, ...security }).length === 0)
        throw new CliError('There is nothing to change: give at least one option.');
      const edited = await withClients(context, async (clients) => {
        const { name, scopes, version, ...client } = await clients.get(id);
        const kept = { name, scopes, security: { ...client.security, ...security } };
        return clients.edit(id, { ...kept, ...changes }, version);
      });
      print(edited, json);
    });
}

function append(value: string, values: readonly string[] = []): string[] {
  return [...values, value];
}

function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch (cause) {
    const fault = cause instanceof JsonTextError ? cause.message : 'cannot be read';
    throw new CliError(`${path} ${fault}.`, { cause });
  }
}
