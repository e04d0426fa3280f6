import { z } from 'zod';
import { scopes } from '../../api/access/access.ts';
import { fieldList } from '../../api/fields/routes.ts';
import { fieldEditSchema, newFieldSchema, ticketFieldSchema } from '../../helpdesk/fields/ticket-field.ts';
import { withEtag } from '../../wire/schema/read-only.ts';
import { createComponent, createPage } from '../component.ts';
import type { Operation } from '../operation.ts';

const written = {
  key: 'building',
  title: 'Building',
  type: 'select',
  options: ['North', 'South'],
  required_on: ['solve'],
  visible_to_customers: true,
  editable_by_customers: true,
  position: 10,
};

const field = createComponent('TicketField', 'ticket_field', withEtag(ticketFieldSchema), {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f60a1',
  ...written,
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
  version: 1,
  etag: '"1-9f3a2c41d7-json"',
});
/** Definition in a list with sparse fieldsets. */
const selectedField = createComponent('TicketFieldListItem', 'ticket_field', fieldList.schema, field.example);
const fieldCreate = createComponent('TicketFieldCreate', 'ticket_field', newFieldSchema, written);
const edit = { title: 'Which building', options: ['North', 'South', 'Annexe'] };
const fieldUpdate = createComponent('TicketFieldUpdate', 'ticket_field', fieldEditSchema, edit);
const fieldPatch = createComponent('TicketFieldPatch', 'ticket_field', fieldEditSchema, edit);

const allFields = { tag: 'fields', path: '/ticket_fields' } as const;
const oneField = {
  tag: 'fields',
  path: '/ticket_field/{field_id}',
  pathParameters: {
    field_id: z.uuid().meta({ description: 'The `id` of the definition', examples: [field.example.id] }),
  },
} as const;

const ifMatch = { header: 'If-Match', current: field } as const;
const cached = ['ETag', 'Cache-Control'] as const;
const changed = { component: field, headers: [...cached, 'Keydesk-Changed'] } as const;
const values =
  'For administrators. Existing values of tickets are kept, and validated when they are next changed.';

/** Operations on definitions of custom fields. */
export const fieldOperations: readonly Operation[] = [
  {
    id: 'listTicketFields',
    method: 'GET',
    ...allFields,
    summary: 'Fetch the definitions of custom fields',
    description:
      'Returns all definitions on one page in order of position, unless `limit` or `sort` is given. Customers get the definitions of fields visible to them.',
    scope: scopes.read,
    query: fieldList.parametersSchema,
    conditional: 'If-None-Match',
    answer: {
      status: 200,
      description: 'The definitions',
      component: createPage(selectedField, 'ticket_fields', { name: 'TicketFieldPage', hasTotal: true }),
      headers: [...cached, 'Link'],
    },
    problems: ['validation_failed'],
  },
  {
    id: 'addTicketField',
    method: 'POST',
    ...allFields,
    summary: 'Define a custom field',
    description:
      'For administrators. New values of `custom_fields` under this key must have this type; existing values are kept. Only `select` and `multi_select` have options. A key in use gets 409, and so does a definition beyond the limit of 200.',
    scope: scopes.write,
    isRepeatable: true,
    body: { resource: fieldCreate },
    answer: {
      status: 201,
      description: 'The created definition',
      component: field,
      headers: [...cached, 'Location'],
      links: [
        {
          parameters: { field_id: '/id' },
          operationIds: ['fetchTicketField', 'editTicketField', 'patchTicketField', 'deleteTicketField'],
        },
      ],
    },
  },
  {
    id: 'fetchTicketField',
    method: 'GET',
    ...oneField,
    summary: 'Fetch one definition of a custom field',
    description: 'Customers can fetch definitions of fields visible to them.',
    scope: scopes.read,
    conditional: 'If-None-Match',
    answer: { status: 200, description: 'The definition', component: field, headers: cached },
  },
  {
    id: 'editTicketField',
    method: 'PUT',
    ...oneField,
    summary: 'Edit a definition of a custom field',
    description: `Replaces the given members and keeps the others; read-only members may be sent back unchanged. ${values}`,
    scope: scopes.write,
    isRepeatable: true,
    conditional: ifMatch,
    body: { resource: fieldUpdate },
    answer: { status: 200, description: 'The updated definition', ...changed },
  },
  {
    id: 'patchTicketField',
    method: 'PATCH',
    ...oneField,
    summary: 'Change parts of a definition of a custom field',
    description: `Applies a JSON merge patch (RFC 7396): null resets a member to its default. ${values}`,
    scope: scopes.write,
    isRepeatable: true,
    conditional: ifMatch,
    body: { patchOf: fieldPatch, required: ['title', 'type'] },
    answer: { status: 200, description: 'The updated definition', ...changed },
  },
  {
    id: 'deleteTicketField',
    method: 'DELETE',
    ...oneField,
    summary: 'Remove a definition of a custom field',
    description:
      'For administrators. Existing values of tickets are kept, without validation and hidden from customers.',
    scope: scopes.delete,
    isRepeatable: true,
    conditional: ifMatch,
    answer: { status: 200, description: 'The removed definition', ...changed },
  },
];
