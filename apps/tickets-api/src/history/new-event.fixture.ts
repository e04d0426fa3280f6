import { v7 as uuidv7 } from 'uuid';
import { system } from '../people/viewer.ts';
import type { Storage } from '../storage/storage.ts';
import type { EventRecord, EventResource, StoredEvent } from './audit-event.ts';
import { toDefinitionEvent } from './definition-event.ts';

/** Something that happened to a ticket, later than what happened before; customers see nothing but that. */
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

/** Something that customers never learn of. */
export function newInternalEvent(ticketId: string, fields: Partial<StoredEvent> = {}): EventRecord {
  return { event: newEvent(ticketId, fields).event };
}

/** A change of a definition by the helpdesk itself, later than what happened before. */
export function newDefinitionEvent(
  type: EventResource['type'],
  id: string,
  fields: Partial<StoredEvent> = {},
): EventRecord {
  const change = { resource: { type, id }, before: { title: 'Before' }, after: { title: 'After' } };
  const { event } = toDefinitionEvent(change, { by: system, now: new Date(), newId: uuidv7 });
  return { event: { ...event, ...fields } };
}

/** Those of the events that the store has, in order of id. */
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
