import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An ES256 key pair and its public JWK. */
export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  jwk: JsonWebKey;
}

/** Overrides that make a token invalid. */
export interface TokenOverrides {
  /** Header parameters to replace; `undefined` omits one. */
  header?: Record<string, unknown>;
  /** Signs instead of the issuer's current key; also sets `kid`. */
  key?: SigningKey;
  /** Creates the signature instead of ES256. */
  sign?: (signingInput: string) => Uint8Array;
}

/** Behaviour of the key set endpoint: normal, status 500, no answer, or a custom handler. */
export type JwksAnswer = 'serve' | 'fail' | 'hang' | ((response: ServerResponse, serve: () => void) => void);

/** Options of a test issuer. */
export interface TestIssuerOptions {
  /** Default `aud` of its tokens. */
  audience?: string;
  /** Source of `iat` and `exp`. */
  now?: () => Date;
}

/** A minimal authorization server for resource server tests: metadata, keys and signed tokens. */
export interface TestIssuer {
  /** The issuer identifier, `http://127.0.0.1:port`. */
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
  /** The key that currently signs. */
  readonly currentKey: SigningKey;
  /** Requests to the key set endpoint since the start. */
  readonly jwksFetches: number;
  /** Creates a token valid for ten minutes with scope `tickets:read`; an `undefined` claim is omitted. */
  token(claims?: Record<string, unknown>, overrides?: TokenOverrides): string;
  /** Adds a key to the set without signing with it. */
  publishKey(key?: SigningKey): SigningKey;
  /** Signs with this key from now on, published or not. */
  useKey(key: SigningKey): void;
  /** Removes a key from the set. */
  retireKey(key: SigningKey): void;
  /** Adds any value to the set as a JWK. */
  publishJwk(jwk: unknown): void;
  answerJwks(answer: JwksAnswer): void;
  /** Refuses connections and closes open ones. */
  goDown(): Promise<void>;
  /** Listens again at the same address. */
  comeUp(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an issuer on a free port of 127.0.0.1 with one published key. Stop it when done. */
export async function startTestIssuer(options: TestIssuerOptions = {}): Promise<TestIssuer> {
  const { audience = 'https://api.example', now = () => new Date() } = options;
  const extraJwks: unknown[] = [];
  let answer: JwksAnswer = 'serve';
  let jwksFetches = 0;
  let currentKey = createSigningKey();
  let published = [currentKey];

  const server = await startServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/jwks') {
      jwksFetches += 1;
      const keys = [...published.map(({ jwk }) => jwk), ...extraJwks];
      respond(answer, response, () => sendJson(response, 200, { keys }));
    } else if (path?.startsWith('/.well-known/')) sendJson(response, 200, metadata(server.url));
    else sendJson(response, 404, { error: 'not_found' });
  });

  return {
    issuer: server.url,
    jwksUrl: `${server.url}/jwks`,
    audience,
    get currentKey() {
      return currentKey;
    },
    get jwksFetches() {
      return jwksFetches;
    },
    token(claims = {}, { key = currentKey, ...overrides } = {}) {
      const iat = Math.floor(now().getTime() / 1000);
      const good = {
        iss: server.url,
        aud: audience,
        sub: 'client-1',
        client_id: 'client-1',
        iat,
        exp: iat + 600,
      };
      return encodeToken(
        { typ: 'at+jwt', alg: 'ES256', kid: key.kid, ...overrides.header },
        { ...good, jti: randomUUID(), scope: 'tickets:read', ...claims },
        overrides.sign ?? ((signingInput) => signEs256(signingInput, key)),
      );
    },
    publishKey(key = createSigningKey()) {
      published.push(key);
      return key;
    },
    useKey(key) {
      currentKey = key;
    },
    retireKey(key) {
      published = published.filter((other) => other !== key);
    },
    publishJwk(jwk) {
      extraJwks.push(jwk);
    },
    answerJwks(next) {
      answer = next;
    },
    goDown: server.close,
    comeUp: server.listen,
    stop: server.close,
  };
}

/** Creates a P-256 key pair without publishing it. */
export function createSigningKey(kid: string = randomUUID()): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' };
  return { kid, privateKey, publicKey, jwk };
}

/** Encodes a compact JWS from header and payload, each JSON text or a value to serialize. */
export function encodeToken(
  header: unknown,
  payload: unknown,
  sign: (signingInput: string) => Uint8Array,
): string {
  const signingInput = `${encodePart(header)}.${encodePart(payload)}`;
  return `${signingInput}.${Buffer.from(sign(signingInput)).toString('base64url')}`;
}

/** Signs with ES256 in the JWS format: R and S concatenated (RFC 7518 §3.4). */
export function signEs256(signingInput: string, { privateKey }: SigningKey): Uint8Array {
  return sign('sha256', Buffer.from(signingInput), { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

function encodePart(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

function metadata(issuer: string) {
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: [],
  };
}

function respond(answer: JwksAnswer, response: ServerResponse, serve: () => void): void {
  if (answer === 'serve') serve();
  else if (answer === 'fail') sendJson(response, 500, { error: 'server_error' });
  else if (answer !== 'hang') answer(response, serve);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function startServer(handler: RequestListener) {
  const server = createServer(handler);
  let port = 0;

  async function listen(): Promise<void> {
    if (server.listening) return;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  async function close(): Promise<void> {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  await listen();
  return { url: `http://127.0.0.1:${port}`, listen, close };
}
