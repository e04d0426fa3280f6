import { z } from 'zod';
import { ticketStatuses } from './ticket.ts';
import { transitions } from './workflow.ts';

/** A status as the API publishes it. */
export const ticketStatusSchema = z.strictObject({
  id: z.enum(ticketStatuses).describe('The status'),
  transitions: z
    .array(z.enum(ticketStatuses))
    .meta({ item: 'status', description: 'What a ticket in this status can become' }),
});

export type PublishedStatus = Readonly<z.output<typeof ticketStatusSchema>>;

/** Every status, in the order of a ticket's way. */
export const publishedStatuses: readonly PublishedStatus[] = ticketStatuses.map((id) =>
  Object.freeze({ id, transitions: [...transitions[id]] }),
);

/** Beside a `transition_not_allowed` problem: where the ticket can go instead. */
export const allowedStatusesSchema = z
  .array(z.enum(ticketStatuses))
  .meta({ item: 'status', description: 'Beside `transition_not_allowed`: what the ticket can become' });
