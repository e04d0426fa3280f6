import { createHash, randomBytes } from 'node:crypto';

/** Public client of all users in an audit. */
export interface Application {
  issuer: string;
  clientId: string;
}

export interface Answer {
  status: number;
  body: Record<string, string>;
}

export const REDIRECT_URI = 'http://127.0.0.1/callback';

/** Creates an authorization URL and its PKCE verifier (RFC 7636). */
export function toAuthorization({ issuer, clientId }: Application): { url: URL; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL('/auth', issuer);
  url.search = String(
    new URLSearchParams({
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid offline_access tickets:read',
      prompt: 'consent',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
  );
  return { url, verifier };
}

export function redeem(application: Application, code: { value: string; verifier: string }): Promise<Answer> {
  return requestToken(application, {
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT_URI,
    code: code.value,
    code_verifier: code.verifier,
  });
}

export function refresh(application: Application, refreshToken: string): Promise<Answer> {
  return requestToken(application, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

function requestToken({ issuer, clientId }: Application, form: Record<string, string>): Promise<Answer> {
  return send(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...form }),
  });
}

/** A request failed on the side of the server; its result is unknown. */
export class Unanswered extends Error {}

/**
 * Sends a request with a JSON or empty response.
 *
 * @throws {Unanswered} when the server fails
 */
export async function send(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (response.status >= 500) throw new Unanswered(`${response.status} ${text}`);
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}
