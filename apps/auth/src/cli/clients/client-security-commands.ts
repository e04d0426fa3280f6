import { type Command, Option } from 'commander';
import {
  type Client,
  type ClientProfile,
  type ClientSecurity,
  clientProfiles,
  type IdTokenAlgorithm,
  idTokenAlgorithms,
} from '../../clients/client.ts';
import { toPkceChoice } from '../../clients/client-security.ts';
import { type CliContext, withClients } from '../kit/context.ts';
import { toJson } from '../kit/output.ts';

/** Options of `addSecurityOptions`, as parsed. */
export interface SecurityOptions {
  profile?: ClientProfile;
  dpopBoundAccessTokens?: boolean;
  requirePushedAuthorizationRequests?: boolean;
  requireSignedRequestObject?: boolean;
  idTokenAlg?: IdTokenAlgorithm;
  authorizationResponseAlg?: IdTokenAlgorithm;
}

/** Adds the options for the security requirements of a client. */
export function addSecurityOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--profile <profile>', 'enforce the FAPI 2.0 Security Profile').choices(clientProfiles),
    )
    .option('--dpop-bound-access-tokens', 'issue only tokens bound to a key (DPoP)')
    .option('--require-pushed-authorization-requests', 'accept only pushed authorization requests (PAR)')
    .option('--require-signed-request-object', 'accept only signed authorization requests (JAR)')
    .addOption(
      new Option('--id-token-alg <algorithm>', 'algorithm of its ID tokens').choices(idTokenAlgorithms),
    )
    .addOption(authorizationResponseAlgOption());
}

export function authorizationResponseAlgOption(): Option {
  const description = 'algorithm of JWT authorization responses (default: RS256)';
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

/** Formats the security settings of a client with the names of RFC 7591 and its extensions. */
export function securityToJson({ security }: Client): Record<string, unknown> {
  return {
    profile: security.profile,
    dpop_bound_access_tokens: security.dpopBoundAccessTokens,
    require_pushed_authorization_requests: security.requirePushedAuthorizationRequests,
    require_signed_request_object: security.requireSignedRequestObject,
    id_token_signed_response_alg: security.idTokenAlgorithm,
    authorization_signed_response_alg: security.authorizationResponseAlgorithm,
    pkce: toPkceChoice(security),
  };
}

const noProfile = 'none';

/** Adds the command `client set-profile`. */
export function addProfileCommand(group: Command, context: CliContext): void {
  group
    .command('set-profile')
    .description('set the security profile; takes effect with the next request')
    .argument('<client-id>')
    .addArgument(group.createArgument('<profile>').choices([...clientProfiles, noProfile]))
    .option('--json', 'print JSON')
    .action(async (id: string, name: ClientProfile | typeof noProfile, { json }: { json?: boolean }) => {
      const profile = name === noProfile ? null : name;
      const client = await withClients(context, (clients) => clients.setProfile(id, profile));
      const message = `Client ${id} (${client.name}) has ${profile === null ? 'no profile' : `the profile ${profile}`}.\n`;
      context.print(json ? toJson({ client_id: id, ...securityToJson(client) }) : message);
    });
}
