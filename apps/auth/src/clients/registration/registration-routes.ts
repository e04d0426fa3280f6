import type { RateLimiter } from '@keydesk/rate-limit';
import { AppError, JsonTextError, parseJson, readBody } from '@keydesk/server';
import type { Context, Middleware } from 'koa';
import { toNetwork } from '../../accounts/limits/network.ts';
import type { Client } from '../client.ts';
import { RegistrationError, registrationStatuses } from './registration-error.ts';
import type { ManagedClient, Origin, Registrations } from './registrations.ts';

interface RegistrationRoutesOptions {
  registrations: Registrations;
  issuer: string;
  /** Limits the requests of an address. */
  limiter: RateLimiter;
}

/** Client registration endpoint (RFC 7591 §3); a client is managed at `/reg/<client_id>` (RFC 7592 §2). */
export const REGISTRATION_PATH = '/reg';
const managementPath = /^\/reg\/([\w-]{1,64})$/;

type Handler = (ctx: Context, clientId: string) => Promise<void>;

/** Routes of dynamic client registration and management. */
export function createRegistrationRoutes(options: RegistrationRoutesOptions): Middleware {
  const management = createManagement(options);
  const register = createRegister(options);

  return async function registration(ctx, next) {
    const clientId = managementPath.exec(ctx.path)?.[1];
    const handlers: Readonly<Record<string, Handler>> =
      clientId === undefined ? { POST: register } : management;
    if (clientId === undefined && ctx.path !== REGISTRATION_PATH) return next();
    ctx.set({ 'Cache-Control': 'no-store' });
    const handle = Object.hasOwn(handlers, ctx.method) ? handlers[ctx.method] : undefined;
    if (!handle) throw notAllowed(Object.keys(handlers).join(', '));
    try {
      await limitAddress(options, ctx);
      await handle(ctx, clientId ?? '');
    } catch (err) {
      if (!(err instanceof RegistrationError)) throw err;
      writeError(ctx, err);
    }
  };
}

function notAllowed(methods: string): AppError {
  const headers = { Allow: methods };
  return new AppError('method_not_allowed', `This resource supports ${methods}.`, { headers });
}

function createRegister({ registrations, issuer }: RegistrationRoutesOptions): Handler {
  return async function registerClient(ctx) {
    const registered = await registrations.register(
      readBearer(ctx),
      await readClientMetadata(ctx),
      toOrigin(ctx),
    );
    ctx.status = 201;
    ctx.body = {
      ...toClientResponse(registered, issuer),
      ...(registered.secret && { client_secret: registered.secret, client_secret_expires_at: 0 }),
    };
  };
}

function createManagement({ registrations, issuer }: RegistrationRoutesOptions): Record<string, Handler> {
  return {
    GET: async function readClient(ctx, id) {
      ctx.body = toClientResponse(await registrations.read(id, readBearer(ctx)), issuer);
    },
    PUT: async function updateClient(ctx, id) {
      const metadata = await readClientMetadata(ctx);
      ctx.body = toClientResponse(
        await registrations.update(id, readBearer(ctx), metadata, toOrigin(ctx)),
        issuer,
      );
    },
    DELETE: async function removeClient(ctx, id) {
      await registrations.remove(id, readBearer(ctx), toOrigin(ctx));
      ctx.status = 204;
    },
  };
}

function toClientResponse({ client, token }: ManagedClient, issuer: string): Record<string, unknown> {
  return {
    ...toClientInformation(client),
    registration_access_token: token,
    registration_client_uri: `${issuer}${REGISTRATION_PATH}/${client.id}`,
  };
}

async function limitAddress({ limiter }: RegistrationRoutesOptions, ctx: Context): Promise<void> {
  const { isAllowed, limit, resetSeconds } = await limiter.consume(toNetwork(ctx.ip));
  if (isAllowed) return;
  ctx.set('Retry-After', String(resetSeconds));
  throw new RegistrationError(
    'too_many_requests',
    `The rate limit of ${limit} requests per minute is exceeded; retry later.`,
  );
}

/** Reads the bearer token from the header, the only supported method (RFC 6750 §2.1). */
function readBearer(ctx: Context): string | undefined {
  return /^Bearer ([\w.~+/-]+=*)$/i.exec(ctx.get('authorization'))?.[1];
}

function toOrigin({ ip, state }: Context): Origin {
  return { address: ip, requestId: typeof state.requestId === 'string' ? state.requestId : null };
}

function writeError(ctx: Context, { error, message }: RegistrationError): void {
  ctx.status = registrationStatuses[error];
  ctx.state.errorCode = error;
  // RFC 6750 §3: a request without authentication gets no error code.
  if (error === 'invalid_token')
    ctx.set('WWW-Authenticate', readBearer(ctx) === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
  ctx.body = { error, error_description: message };
}

/** Builds the client information response (RFC 7591 §3.2.1), without secrets. */
function toClientInformation(client: Client): Record<string, unknown> {
  const { security } = client;
  const isForUsers = client.grantTypes.includes('authorization_code');
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
    client_name: client.name,
    ...(client.homePage !== null && { client_uri: client.homePage }),
    ...(client.policyUri !== null && { policy_uri: client.policyUri }),
    ...(client.tosUri !== null && { tos_uri: client.tosUri }),
    application_type: client.type === 'native' ? 'native' : 'web',
    grant_types: client.grantTypes,
    response_types: isForUsers ? ['code'] : [],
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    ...(client.backchannelLogoutUri !== null && { backchannel_logout_uri: client.backchannelLogoutUri }),
    ...(client.initiateLoginUri !== null && { initiate_login_uri: client.initiateLoginUri }),
    token_endpoint_auth_method: client.authMethod,
    ...(client.jwks && { jwks: client.jwks }),
    scope: client.scopes.join(' '),
    ...(isForUsers && {
      subject_type: 'public',
      id_token_signed_response_alg: security.idTokenAlgorithm,
      authorization_signed_response_alg: security.authorizationResponseAlgorithm,
    }),
    dpop_bound_access_tokens: security.dpopBoundAccessTokens,
    require_pushed_authorization_requests: security.requirePushedAuthorizationRequests,
    require_signed_request_object: security.requireSignedRequestObject,
  };
}

const MAX_BYTES = 32_768;

/**
 * Reads the client metadata of a request: a JSON object of at most 32 KB.
 *
 * @throws {RegistrationError} `invalid_request`
 */
async function readClientMetadata(ctx: Context): Promise<Record<string, unknown>> {
  if (!ctx.is('application/json'))
    throw invalid('Unsupported media type; send the client metadata as application/json.');
  const body = await readBody(ctx, MAX_BYTES);
  if (!body) throw invalid(`The client metadata must have at most ${MAX_BYTES} bytes.`);
  const value = parse(body.toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The client metadata must be a JSON object.');
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (err) {
    if (!(err instanceof JsonTextError)) throw err;
    const { message } = err;
    throw invalid(`The client metadata ${message}; send a JSON object with each name once.`, { cause: err });
  }
}

function invalid(description: string, options?: ErrorOptions): RegistrationError {
  return new RegistrationError('invalid_request', description, options);
}
