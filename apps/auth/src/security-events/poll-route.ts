import type { RateLimiter } from '@keydesk/rate-limit';
import { JsonTextError, parseJson, readBody } from '@keydesk/server';
import type { Context, Middleware } from 'koa';
import { toNetwork } from '../accounts/limits/network.ts';
import type { Audit } from '../audit/audit.ts';
import type { Client } from '../clients/client.ts';
import { type PollRequest, PollRequestError, parsePollRequest } from './poll-request.ts';
import type { Polling, Receiver } from './polling.ts';

export interface PollRouteOptions {
  polling: Pick<Polling, 'poll'>;
  findClient(id: string): Promise<Client | undefined>;
  /** Whether a client has this secret. */
  hasSecret(client: Client, presented: string): boolean;
  /** Limits failed authentications per network. */
  limiter: Pick<RateLimiter, 'consume' | 'refund'>;
  audit: Pick<Audit, 'record'>;
  now: () => Date;
}

const MAX_BYTES = 131_072;

/** Creates the endpoint where resource servers poll for security events (RFC 8936 §2). */
export function createPollRoute(options: PollRouteOptions): Middleware {
  const authenticate = createAuthentication(options);

  return async function pollSecurityEvents(ctx) {
    ctx.set({ 'Cache-Control': 'no-store' });
    const clientId = await authenticate(ctx);
    if (clientId === undefined) return;
    const closed = new AbortController();
    ctx.res.once('close', () => closed.abort());
    try {
      const request = await readPoll(ctx);
      ctx.body = await options.polling.poll({ clientId, ...originOf(ctx) }, request, closed.signal);
    } catch (err) {
      if (!(err instanceof PollRequestError)) throw err;
      sendError(ctx, 400, { err: 'invalid_request', description: err.message });
    }
  };
}

/** Creates client authentication with a secret in the header (RFC 6749 §2.3.1); it answers rejected requests. */
function createAuthentication(options: PollRouteOptions) {
  const { findClient, hasSecret, limiter, audit, now } = options;

  async function reject(ctx: Context, client: Client | undefined): Promise<undefined> {
    ctx.set('WWW-Authenticate', 'Basic realm="security-events"');
    sendError(ctx, 401, {
      err: 'authentication_failed',
      description: 'Authenticate as a client of type resource-server with client_secret_basic.',
    });
    const [clientId, origin] = [client?.id ?? null, originOf(ctx)];
    const event = { type: 'client.authentication_failed', at: now(), actor: null, accountId: null } as const;
    await audit.record({ ...event, ...origin, clientId, details: { error: 'invalid_client' } });
  }

  return async function authenticate(ctx: Context): Promise<string | undefined> {
    const network = toNetwork(ctx.ip);
    const { isAllowed, resetSeconds } = await limiter.consume(network);
    if (!isAllowed) {
      ctx.set('Retry-After', String(resetSeconds));
      sendError(ctx, 429, { err: 'access_denied', description: 'Too many failed requests; retry later.' });
      return undefined;
    }
    const { id, secret } = readBasic(ctx);
    const client = id === '' ? undefined : await findClient(id);
    if (!client || !isReceiver(client) || !hasSecret(client, secret)) return reject(ctx, client);
    await limiter.refund(network);
    return client.id;
  };
}

function isReceiver({ type, status, authMethod }: Client): boolean {
  return type === 'resource-server' && status === 'active' && authMethod === 'client_secret_basic';
}

/** Reads id and secret; empty if the header has another format. */
function readBasic(ctx: Context): { id: string; secret: string } {
  const encoded = /^Basic ([\w+/]{1,1024}={0,2})$/i.exec(ctx.get('authorization'))?.[1] ?? '';
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return { id, secret };
}

/** @throws {PollRequestError} */
async function readPoll(ctx: Context): Promise<PollRequest> {
  if (!ctx.is('application/json')) throw new PollRequestError('Send the poll as application/json.');
  const body = await readBody(ctx, MAX_BYTES);
  if (!body) throw new PollRequestError(`The poll must have at most ${MAX_BYTES} bytes.`);
  try {
    return parsePollRequest(parseJson(body.toString()));
  } catch (cause) {
    if (!(cause instanceof JsonTextError)) throw cause;
    throw new PollRequestError('The poll must be a JSON object with each name once.', { cause });
  }
}

function originOf({ ip, state }: Context): Omit<Receiver, 'clientId'> {
  return { address: ip, requestId: typeof state.requestId === 'string' ? state.requestId : null };
}

/** Sends an error as for the delivery of a security event token (RFC 8935 §2.3). */
function sendError(ctx: Context, status: number, error: { err: string; description: string }): void {
  ctx.status = status;
  ctx.state.errorCode = error.err;
  ctx.body = error;
}
