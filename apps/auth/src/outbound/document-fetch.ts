import { JsonTextError, parseJson } from '@keydesk/http';
import type { OutboundFetch } from './outbound-fetch.ts';

/**
 * A `fetch` that refuses documents with faulty JSON. Clients publish metadata and key sets, and a name that an object has
 * twice could be read in two ways.
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
