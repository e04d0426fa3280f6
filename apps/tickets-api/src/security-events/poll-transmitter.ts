/** Acknowledgements and rejections of earlier events, and the number of events to return (RFC 8936 §2.2). */
export interface Poll {
  maxEvents: number;
  ack: readonly string[];
  setErrs: Readonly<Record<string, { err: string; description: string }>>;
}

/** Address and credentials of a receiver. */
export interface TransmitterOptions {
  url: string;
  clientId: string;
  clientSecret: string;
  fetch?: typeof globalThis.fetch;
}

/** Signed events by `jti`, as received. */
export type ReceivedTokens = ReadonlyMap<string, string>;

/** More than the time that a transmitter lets a poll wait. */
const TIMEOUT_MS = 45_000;
const MAX_BYTES = 1_048_576;

/**
 * Polls a transmitter for events (RFC 8936 §2). It follows no redirect, which would receive the credentials.
 *
 * @throws {Error} when no valid response arrives; its message contains no secret
 */
export async function pollTransmitter(
  { url, clientId, clientSecret, fetch = globalThis.fetch }: TransmitterOptions,
  poll: Poll,
  signal: AbortSignal,
): Promise<ReceivedTokens> {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${credentials}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    },
    body: JSON.stringify(poll),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The transmitter of security events responded with status ${response.status}.`);
  }
  return readTokens(JSON.parse(await readText(response)));
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`The security events are larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readTokens(body: unknown): ReceivedTokens {
  const { sets } = Object(body) as { sets?: unknown };
  if (typeof sets !== 'object' || sets === null || Array.isArray(sets))
    throw new Error('The response of the transmitter contains no security events.');
  return new Map(Object.entries(sets).map(([jti, token]) => [jti, String(token)]));
}
