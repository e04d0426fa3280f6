/** Type of `fetch` and its replacements. */
export type Fetch = typeof globalThis.fetch;

const MAX_BYTES = 256 * 1024;

/**
 * Fetches a JSON document with limits on time and decompressed size. It follows no redirect and bypasses caches,
 * because the caller needs a newer answer than the last one.
 *
 * @throws {Error} when no valid answer arrives
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
