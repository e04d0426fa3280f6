import { hash } from 'node:crypto';
import { z } from 'zod';
import { highlightsSchema } from '../../helpdesk/list/highlights.ts';
import { INCLUDED_REPLIES, type SideLoad, sideLoads } from '../../helpdesk/list/side-loads.ts';
import { personSchema } from '../../helpdesk/people/person.ts';
import { replySchema } from '../../helpdesk/replies/reply.ts';
import { type Ticket, ticketSchema } from '../../helpdesk/tickets/ticket.ts';
import { etagMember, withEtag } from '../../wire/schema/read-only.ts';
import { createParameterReader, deletedParameter, oneOf } from '../http/query-parameters.ts';
import { listOf } from '../lists/filter-grammar.ts';
import { fieldsParameter, selectFields } from '../lists/list-grammar.ts';

/** A field of a ticket in a response. */
export type FieldName = keyof Ticket | 'etag';

export const fieldNames = [...Object.keys(ticketSchema.shape), 'etag'] as readonly FieldName[];

/** The query parameter that selects the side loads of tickets. */
export const includeParameter = listOf(oneOf(sideLoads), null)
  .optional()
  .describe(
    `Related resources to return as \`included\`, separated by commas: people, and the newest ${INCLUDED_REPLIES} replies to each ticket`,
  );

/** Side loads of tickets: each person and reply once, in the order in which the tickets refer to them. */
export const includedSchema = z
  .strictObject({
    people: z
      .array(withEtag(personSchema).meta({ title: 'Person' }))
      .meta({
        item: 'person',
        description:
          'People of the tickets, as far as the caller may see them: staff see everyone, customers only themselves',
      })
      .optional(),
    replies: z
      .array(withEtag(replySchema).meta({ title: 'Reply' }))
      .meta({
        item: 'reply',
        description: 'Newest replies to each ticket that the caller may see, newest first',
      })
      .optional(),
  })
  .meta({ title: 'Included' });

/** A ticket in a response: the selected fields, and the side loads of a single ticket. */
export const ticketViewSchema = z.strictObject({
  ...ticketSchema.partial().shape,
  id: ticketSchema.shape.id,
  highlights: highlightsSchema.optional(),
  included: includedSchema.optional().describe('Related resources that `include` requests'),
  etag: etagMember.optional(),
});

export type TicketView = Readonly<z.output<typeof ticketViewSchema>>;

/** The selected fields and side loads of tickets. */
export interface Projection {
  fields?: readonly FieldName[] | undefined;
  include?: readonly SideLoad[] | undefined;
}

/** The query parameters of `GET /ticket/{id}`. */
export const projectionParametersSchema = z.object({
  fields: fieldsParameter(fieldNames),
  include: includeParameter,
  deleted: deletedParameter,
});

/** Reads the query parameters of `GET /ticket/{id}`. @throws {AppError} `validation_failed` */
export const readProjectionParameters = createParameterReader(projectionParametersSchema);

/** Selects fields of a ticket; the `id` is always included. */
export function selectTicketFields(ticket: Ticket, fields: Projection['fields']): TicketView {
  return selectFields(ticket, fields, 'id') as TicketView;
}

/** Whether tickets are sent with their entity tags. */
export function hasEtag({ fields }: Projection): boolean {
  return !fields || fields.includes('etag');
}

/** Returns the part of the entity tag that distinguishes projections; empty for the whole ticket without side loads. */
export function toProjectionTag({ fields, include }: Projection, included: object | undefined): string {
  if (!fields && !include) return '';
  return `~${hash('sha1', JSON.stringify([fields, include, included]), 'hex').slice(0, 16)}`;
}
