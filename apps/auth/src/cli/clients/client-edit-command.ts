import { readFileSync } from 'node:fs';
import { JsonTextError, parseJson } from '@keydesk/server';
import { type Command, Option } from 'commander';
import type { Client, IdTokenAlgorithm } from '../../clients/client.ts';
import type { ClientEdit } from '../../clients/client-rules.ts';
import { pkceChoices } from '../../clients/client-security.ts';
import { apiScopes } from '../../values/scopes.ts';
import { type CliContext, CliError, withClients } from '../kit/context.ts';
import { authorizationResponseAlgOption, toSecurity } from './client-security-commands.ts';

/** Options of `addEditableOptions`, as parsed. */
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

/** Adds the options that both `client add` and `client edit` have. */
export function addEditableOptions(command: Command): Command {
  return command
    .option('--home-page <url>', 'home page, an https URL')
    .option('--policy-uri <url>', 'privacy policy, an https URL')
    .option('--tos-uri <url>', 'terms of service, an https URL')
    .option('--scope <scopes>', `allowed scopes, of: ${apiScopes.join(' ')}`)
    .option('--jwks <file>', 'file with the JSON Web Key Set of its public keys (private_key_jwt)')
    .option('--redirect-uri <uri>', 'redirect URI; repeatable', append)
    .option('--post-logout-redirect-uri <uri>', 'redirect URI after log-out; repeatable', append)
    .option('--backchannel-logout-uri <uri>', 'back-channel log-out endpoint')
    .option('--initiate-login-uri <uri>', 'page that starts a sign-in (OpenID Connect Core §4)');
}

/** Converts the options to changes of a client. Empty text removes a value. */
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

/** Adds the command `client edit`. */
export function addEditCommand(
  group: Command,
  context: CliContext,
  print: (client: Client, isJson: boolean | undefined) => void,
): void {
  addEditableOptions(group.command('edit'))
    .description('change a client; takes effect with its next request; an empty value removes a setting')
    .argument('<client-id>')
    .option('--name <name>', 'display name')
    .addOption(
      new Option(
        '--pkce <pkce>',
        'PKCE requirement; optional accepts a nonce instead (web clients only)',
      ).choices(pkceChoices),
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
        throw new CliError('Nothing to change; pass at least one option.');
      const edited = await withClients(context, async (clients) => {
        const { name, scopes, version, ...client } = await clients.get(id);
        const current = { name, scopes, security: { ...client.security, ...security } };
        return clients.edit(id, { ...current, ...changes }, version);
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
