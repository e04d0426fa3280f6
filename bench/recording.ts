import { createOwnTimes, type Load } from './load.ts';

/** What the API answered to a request. */
export interface Recorded {
  status: number;
  contentType: string;
  /** The header fields that do not come of themselves. */
  fields: Record<string, string>;
  body: string;
}

/** What Node.js and Koa add to every answer. */
const ownFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
]);

/** What the API answered to each request of some loads, for a yardstick that sends the same bytes. */
export async function record(loads: readonly Load[]): Promise<Record<string, Recorded>> {
  const recording: Record<string, Recorded> = {};
  const nextTime = createOwnTimes();
  for (const { url, requests, hasOwnTimes } of loads) {
    for (const { method, path, headers, body } of requests) {
      const time = hasOwnTimes ? nextTime() : '';
      const response = await fetch(url + path + time, { method, headers: headers ?? {}, body: body ?? null });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      const contentType = response.headers.get('Content-Type') ?? '';
      const fields = Object.fromEntries([...response.headers].filter(([name]) => !ownFields.has(name)));
      recording[`${method} ${path}`] = {
        status: response.status,
        contentType,
        fields,
        body: await response.text(),
      };
    }
  }
  return recording;
}
