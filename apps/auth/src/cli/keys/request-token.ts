import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, loadConfig } from '@keydesk/config';
import { toDataDir } from '@keydesk/storage/url';
import { z } from 'zod';
import { issuerOf, settings } from '../../config.ts';
import { type CliContext, CliError } from '../kit/context.ts';

/** Options of the command `token`. */
export interface TokenRequestOptions {
  clientId?: string;
  clientSecret?: string;
  scope?: string;
  resource?: string;
  issuer?: string;
}

const REQUEST_LIMIT_MS = 10_000;

/** Requests an access token from the running server (RFC 6749 §4.4). @throws {CliError} */
export async function requestToken(options: TokenRequestOptions, context: CliContext) {
  const { env } = context;
  const started = readLastStart(env);
  const server = options.issuer ?? findServer(env, started);
  const demo = options.clientId === undefined ? started?.clients['machine-client'] : undefined;
  const id = options.clientId ?? env.KEYDESK_CLIENT_ID ?? demo?.client_id;
  const given = options.clientSecret ?? env.KEYDESK_CLIENT_SECRET ?? demo?.client_secret;
  if (!id || !given) throw new CliError('Pass --client-id and --client-secret.');
  const secret = given === '-' ? (await context.readInput()).trim() : given;
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (options.scope !== undefined) body.set('scope', options.scope);
  if (options.resource !== undefined) body.set('resource', options.resource);
  const response = await post(`${server}/token`, body, basicAuthorization(id, secret));
  return tokenResponse.parse(response);
}

const demoClient = z.object({ client_id: z.string(), client_secret: z.string() });
const lastStart = z.object({ issuer: z.string(), clients: z.object({ 'machine-client': demoClient }) });

/** Reads the issuer and the demo client of the last `npm start` from the data folder. */
function readLastStart(env: Environment): z.output<typeof lastStart> | undefined {
  const path = join(toDataDir(env), 'demo-clients.json');
  return existsSync(path) ? lastStart.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}

function findServer(env: Environment, started: { issuer: string } | undefined): string {
  const { issuer, host, port, tlsCertFile } = settings;
  const own = { issuer, host, port, tlsCertFile };
  const isConfigured = Object.values(own).some((setting) => env[setting.env]);
  return started && !isConfigured ? started.issuer : issuerOf(loadConfig(own, env));
}

const tokenResponse = z.looseObject({ access_token: z.string() });
const errorResponse = z.object({ error: z.string(), error_description: z.string().optional() });

async function post(url: string, body: URLSearchParams, authorization: string): Promise<unknown> {
  const signal = AbortSignal.timeout(REQUEST_LIMIT_MS);
  const response = await fetch(url, { method: 'POST', headers: { authorization }, body, signal }).catch(
    (cause) => {
      throw new CliError(
        `No server answers at ${url} (${findCause(cause)}); start it (npm start), or pass --issuer.`,
        {
          cause,
        },
      );
    },
  );
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const failure = errorResponse.safeParse(answer);
  const reason = failure.success
    ? `${failure.data.error}: ${failure.data.error_description ?? ''}`
    : `status ${response.status}`;
  throw new CliError(`The server rejected the request: ${reason}`);
}

/** Returns the cause of a failed request: connection refused, untrusted certificate or timeout. */
function findCause(err: unknown): string {
  const fault = err instanceof Error && err.cause instanceof Error ? err.cause : err;
  if (!(fault instanceof Error)) return String(fault);
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.message;
}

/** Both parts are form-encoded first (RFC 6749 §2.3.1). */
function basicAuthorization(id: string, secret: string): string {
  const [encodedId, encodedSecret] = [id, secret].map((part) =>
    new URLSearchParams({ '': part }).toString().slice(1),
  );
  return `Basic ${Buffer.from(`${encodedId}:${encodedSecret}`).toString('base64')}`;
}
