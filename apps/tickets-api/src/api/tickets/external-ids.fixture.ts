import type { Answer } from '../../tests/api.fixture.ts';

/** The path of the ticket with an external id. */
export const pathOf = (externalId: string, format = 'json') =>
  `/tickets/external/${encodeURIComponent(externalId)}.${format}`;
/** The status of a change, and whether it changed nothing. */
export const outcomeOf = ({ status, headers }: Answer) => [status, headers.get('Keydesk-Changed')];
/** Status, code and URL in the answer to a request for an id that is in use. */
export const refusalOf = ({ status, json }: Answer) => [status, json.code, json.resource_url];
