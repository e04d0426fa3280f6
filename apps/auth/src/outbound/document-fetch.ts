import { JsonTextError, parseJson } from '@keydesk/server';
import type { OutboundFetch } from './outbound-fetch.ts';

/**
 * Creates a `fetch` that rejects documents with invalid JSON. Clients publish metadata and key sets, where a duplicate
 * name would be ambiguous.
 */
export function createDocumentFetch(fetchOutbound: OutboundFetch): OutboundFetch {
  return async function fetchDocument(input, init) {
    const response = await fetchOutbound(input, init);
    if (init?.method === 'GET' && response.ok) requireStrictJson(await response.clone().text());
    return response;
  };
}

function requireStrictJson(text: string): void {
  try {
    parseJson(text);
  } catch (err) {
    throw err instanceof JsonTextError ? new Error(`The document ${err.message}.`, { cause: err }) : err;
  }
}
