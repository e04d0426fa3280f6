import { type Command, Option } from 'commander';
import {
  type Client,
  type ClientProfile,
  type ClientSecurity,
  clientProfiles,
  type IdTokenAlgorithm,
  idTokenAlgorithms,
} from '../clients/client.ts';
import { pkceOf } from '../clients/client-security.ts';
import { type CliContext, withClients } from './context.ts';
import { toJson } from './output.ts';

/** What `addSecurityOptions` makes of the command line. */
export interface SecurityOptions {
  profile?: ClientProfile;
  dpopBoundAccessTokens?: boolean;
  requirePushedAuthorizationRequests?: boolean;
  requireSignedRequestObject?: boolean;
  idTokenAlg?: IdTokenAlgorithm;
  authorizationResponseAlg?: IdTokenAlgorithm;
}

/** The options of what a client is held to. */
export function addSecurityOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--profile <profile>', 'hold it to the FAPI 2.0 Security Profile').choices(clientProfiles),
    )
    .option('--dpop-bound-access-tokens', 'give it only tokens that are bound to a key (DPoP)')
    .option('--require-pushed-authorization-requests', 'take its authorization requests from itself only')
    .option('--require-signed-request-object', 'take only authorization requests that it has signed')
    .addOption(new Option('--id-token-alg <algorithm>', 'sign its ID tokens so').choices(idTokenAlgorithms))
    .addOption(authorizationResponseAlgOption());
}

export function authorizationResponseAlgOption(): Option {
  const description = 'algorithm of the authorization responses that it requests as JWTs (default: RS256)';
  return new Option('--authorization-response-alg <algorithm>', description).choices(idTokenAlgorithms);
}

export function toSecurity(options: SecurityOptions): Partial<ClientSecurity> {
  const { profile, dpopBoundAccessTokens, idTokenAlg, authorizationResponseAlg } = options;
  const { requirePushedAuthorizationRequests, requireSignedRequestObject } = options;
  return {
    ...(profile && { profile }),
    ...(dpopBoundAccessTokens && { dpopBoundAccessTokens }),
    ...(requirePushedAuthorizationRequests && { requirePushedAuthorizationRequests }),
    ...(requireSignedRequestObject && { requireSignedRequestObject }),
    ...(idTokenAlg && { idTokenAlgorithm: idTokenAlg }),
    ...(authorizationResponseAlg && { authorizationResponseAlgorithm: authorizationResponseAlg }),
  };
}

/** The security of a client by the names of RFC 7591 and its extensions. */
export function securityToJson({ security }: Client): Record<string, unknown> {
  return {
    profile: security.profile,
    dpop_bound_access_tokens: security.dpopBoundAccessTokens,
    require_pushed_authorization_requests: security.requirePushedAuthorizationRequests,
    require_signed_request_object: security.requireSignedRequestObject,
    id_token_signed_response_alg: security.idTokenAlgorithm,
    authorization_signed_response_alg: security.authorizationResponseAlgorithm,
    pkce: pkceOf(security),
  };
}

const noProfile = 'none';

/** `client set-profile`: the switch to FAPI 2.0 and back. */
export function addProfileCommand(noun: Command, context: CliContext): void {
  noun
    .command('set-profile')
    .description('hold a client to a security profile from its next request on, or to none')
    .argument('<client-id>')
    .addArgument(noun.createArgument('<profile>').choices([...clientProfiles, noProfile]))
    .option('--json', 'print JSON')
    .action(async (id: string, name: ClientProfile | typeof noProfile, { json }: { json?: boolean }) => {
      const profile = name === noProfile ? null : name;
      const client = await withClients(context, (clients) => clients.setProfile(id, profile));
      const said = `Client ${id} (${client.name}) is held to ${profile ?? 'no profile'}.\n`;
      context.print(json ? toJson({ client_id: id, ...securityToJson(client) }) : said);
    });
}
