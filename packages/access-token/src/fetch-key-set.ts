/** `fetch`, or anything that stands in for it. */
export type Fetch = typeof globalThis.fetch;

const MAX_BYTES = 256 * 1024;

/**
 * Gets the JSON document at a URL of the configuration: bounded in time and in unpacked size, not redirected, and
 * not from a cache on the way, for it is asked when an older answer was not enough.
 *
 * @throws {Error} when there is no such answer
 */
export async function fetchKeySet(fetch: Fetch, url: string, timeoutMilliseconds: number): Promise<unknown> {
  const response = await fetch(url, {
    headers: { Accept: 'application/jwk-set+json, application/json', 'Cache-Control': 'no-cache' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The key set endpoint answered with status ${response.status}.`);
  }
  return JSON.parse(await readText(response));
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`The key set is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
