import type { Load } from './load.ts';

/** What the API answered to each request of some loads, for a yardstick that sends the same bytes. */
export async function record(
  loads: readonly Load[],
): Promise<Record<string, { status: number; contentType: string; body: string }>> {
  const recording: Record<string, { status: number; contentType: string; body: string }> = {};
  for (const { url, requests } of loads) {
    for (const { method, path, headers, body } of requests) {
      const response = await fetch(url + path, { method, headers: headers ?? {}, body: body ?? null });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      const contentType = response.headers.get('Content-Type') ?? '';
      recording[`${method} ${path}`] = { status: response.status, contentType, body: await response.text() };
    }
  }
  return recording;
}
