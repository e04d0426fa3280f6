import {
  parseFieldEdit,
  parseNewField,
  type ToContent,
  toContent,
  toPatchedContent,
} from '../../helpdesk/fields/edits.ts';
import type { Fields } from '../../helpdesk/fields/fields.ts';
import {
  MAX_FIELDS,
  type NewField,
  type TicketField,
  ticketFieldSchema,
} from '../../helpdesk/fields/ticket-field.ts';
import { createRenderer } from '../../wire/output/renderer.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { createResourceRoutes } from '../definitions/resource-routes.ts';
import { type Route, readId } from '../http/routes.ts';
import { createWholeList } from '../lists/whole-list.ts';

export interface FieldRoutesDeps {
  fields: Fields;
  /** Base of links. */
  baseUrl: string;
}

const [singular, plural] = ['ticket_field', 'ticket_fields'] as const;
const renderer = createRenderer({ schema: ticketFieldSchema, singular, plural });

export const fieldList = createWholeList<TicketField>({
  owner: { list: 'ticket_fields', operation: 'listTicketFields' },
  schema: withEtag(ticketFieldSchema),
  singular,
  plural,
  identity: 'id',
  renderer,
  max: MAX_FIELDS,
  sortField: 'position',
  uniqueField: 'key',
});

/** Creates the routes `/ticket_fields` and `/ticket_field/{id}`. */
export function createFieldRoutes({ fields, baseUrl }: FieldRoutesDeps): readonly Route[] {
  return createResourceRoutes<TicketField, NewField, ToContent>({
    baseUrl,
    singular,
    plural,
    operation: { one: 'TicketField', all: 'TicketFields' },
    renderer,
    collection: fieldList,
    toTag: ({ version }) => String(version),
    readId: (ctx) => readId(ctx, 'id', 'field'),
    cases: fields,
    edits: {
      parseNew: parseNewField,
      parseEdit(body) {
        const edit = parseFieldEdit(body);
        return { edit, toContent: (current) => toContent(current, edit) };
      },
      readPatch: (patch) => (current) => toPatchedContent(current, patch),
    },
  });
}
