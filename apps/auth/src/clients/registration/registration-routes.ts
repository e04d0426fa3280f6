import type { RateLimiter } from '@keydesk/rate-limit';
import { AppError } from '@keydesk/server';
import type { Context, Middleware } from 'koa';
import { networkOf } from '../../accounts/limits/network.ts';
import { toClientInformation } from './client-information.ts';
import { readClientMetadata } from './read-client-metadata.ts';
import { RegistrationError, registrationStatuses } from './registration-error.ts';
import type { ManagedClient, Origin, Registrations } from './registrations.ts';

export interface RegistrationRoutesOptions {
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
      bearerOf(ctx),
      await readClientMetadata(ctx),
      originOf(ctx),
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
      ctx.body = toClientResponse(await registrations.read(id, bearerOf(ctx)), issuer);
    },
    PUT: async function updateClient(ctx, id) {
      const metadata = await readClientMetadata(ctx);
      ctx.body = toClientResponse(
        await registrations.update(id, bearerOf(ctx), metadata, originOf(ctx)),
        issuer,
      );
    },
    DELETE: async function removeClient(ctx, id) {
      await registrations.remove(id, bearerOf(ctx), originOf(ctx));
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
  const { isAllowed, limit, resetSeconds } = await limiter.consume(networkOf(ctx.ip));
  if (isAllowed) return;
  ctx.set('Retry-After', String(resetSeconds));
  throw new RegistrationError(
    'too_many_requests',
    `The rate limit of ${limit} requests per minute is exceeded; retry later.`,
  );
}

/** Reads the bearer token from the header, the only supported method (RFC 6750 §2.1). */
function bearerOf(ctx: Context): string | undefined {
  return /^Bearer ([\w.~+/-]+=*)$/i.exec(ctx.get('authorization'))?.[1];
}

function originOf({ ip, state }: Context): Origin {
  return { address: ip, requestId: typeof state.requestId === 'string' ? state.requestId : null };
}

function writeError(ctx: Context, { error, message }: RegistrationError): void {
  ctx.status = registrationStatuses[error];
  ctx.state.errorCode = error;
  // RFC 6750 §3: a request without authentication gets no error code.
  if (error === 'invalid_token')
    ctx.set('WWW-Authenticate', bearerOf(ctx) === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
  ctx.body = { error, error_description: message };
}
