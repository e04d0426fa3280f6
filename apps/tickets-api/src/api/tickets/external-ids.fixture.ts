import type { Answer } from '../../tests/api.fixture.ts';

/** Returns the path of the ticket with an external id. */
export const pathOf = (externalId: string, format = 'json') =>
  `/tickets/external/${encodeURIComponent(externalId)}.${format}`;
/** Returns the status of a change, and whether it was a no-op. */
export const outcomeOf = ({ status, headers }: Answer) => [status, headers.get('Keydesk-Changed')];
/** Returns status, code and URL of the problem for an id that is in use. */
export const refusalOf = ({ status, json }: Answer) => [status, json.code, json.resource_url];
