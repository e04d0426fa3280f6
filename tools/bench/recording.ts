import { createUniqueTimes, type Load } from './load.ts';

/** A recorded response of the API. */
export interface Recorded {
  status: number;
  contentType: string;
  /** Header fields without the ones that Node.js and Koa add. */
  fields: Record<string, string>;
  body: string;
}

/** Header fields that Node.js and Koa add to every response. */
const ownFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
]);

/** Records the response to each request of the loads, so that a baseline can send the same bytes. */
export async function record(loads: readonly Load[]): Promise<Record<string, Recorded>> {
  const recording: Record<string, Recorded> = {};
  const nextTime = createUniqueTimes();
  for (const { url, requests, hasUniqueTimes } of loads) {
    for (const { method, path, headers, body } of requests) {
      const time = hasUniqueTimes ? nextTime() : '';
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
