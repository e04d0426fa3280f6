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
  return JSON.parse(await readText(response, MAX_BYTES));
}

/**
 * Reads a body with a limit on its decompressed size.
 *
 * @throws {Error} when the body is larger
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`The response is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
