import { v7 as uuidv7 } from 'uuid';
import { system } from '../people/viewer.ts';
import type { Storage } from '../storage.ts';
import type { EventRecord, EventResource, StoredEvent } from './audit-event.ts';
import { toDefinitionEvent } from './definition-event.ts';

/** Returns an event of a ticket that is later than all previous ones; customers see it without changes. */
export function newEvent(ticketId: string, fields: Partial<StoredEvent> = {}): EventRecord {
  const event: StoredEvent = {
    id: uuidv7(),
    ticket_id: ticketId,
    reply_id: null,
    type: 'ticket.changed',
    actor: { type: 'system', id: null, name: null },
    client_id: null,
    changes: [],
    created_at: '2026-03-01T12:00:00.000Z',
    ...fields,
  };
  return { event, publicChanges: [] };
}

/** Returns an event that is hidden from customers. */
export function newInternalEvent(ticketId: string, fields: Partial<StoredEvent> = {}): EventRecord {
  return { event: newEvent(ticketId, fields).event };
}

/** Returns an event of a definition that the helpdesk itself changed. */
export function newDefinitionEvent(
  type: EventResource['type'],
  id: string,
  fields: Partial<StoredEvent> = {},
): EventRecord {
  const change = { resource: { type, id }, before: { title: 'Before' }, after: { title: 'After' } };
  const { event } = toDefinitionEvent(change, { by: system, now: new Date(), newId: uuidv7 });
  return { event: { ...event, ...fields } };
}

/** Returns the expected events that are stored, in order of id. */
export async function findEvents(
  { events }: Pick<Storage, 'events'>,
  expected: readonly EventRecord[],
): Promise<readonly EventRecord[]> {
  const types = [...new Set(expected.map(({ event }) => event.type))];
  const found = await events.search({ filter: { type: { any: types } }, direction: 'asc', limit: 1_000 });
  const ids = new Set(expected.map(({ event }) => event.id));
  return found
    .filter(({ event }) => ids.has(event.id))
    .toSorted((one, other) => (one.event.id < other.event.id ? -1 : 1));
}
