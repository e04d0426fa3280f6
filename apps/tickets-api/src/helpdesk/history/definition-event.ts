import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../wire/schema/json-object.ts';
import type { ChangeAuthor } from '../people/viewer.ts';
import type { EventRecord, EventResource, FieldChange, StoredEvent } from './audit-event.ts';

type FieldValue = FieldChange['from'];

/** Members of a resource, as they are sent. */
export type Members = Readonly<Record<string, unknown>> & { readonly updated_at?: string };

/** A change of a definition: no `before` adds it, no `after` removes it. */
export interface DefinitionChange {
  readonly resource: EventResource;
  readonly before: Members | undefined;
  readonly after: Members | undefined;
}

export interface EventContext {
  by: ChangeAuthor;
  now: Date;
  newId: () => string;
}

/** Members that the server derives, or that the event itself has. */
const omitted = new Set(['id', 'built_in', 'created_at', 'updated_at', 'version']);

/** Creates the event of a change of a definition, with the time of that change. It is internal. */
export function toDefinitionEvent(change: DefinitionChange, { by, now, newId }: EventContext): EventRecord {
  const { resource, before, after } = change;
  const action = before === undefined ? 'created' : after === undefined ? 'removed' : 'changed';
  return {
    event: {
      id: newId(),
      resource,
      ticket_id: null,
      reply_id: null,
      type: `${resource.type}.${action}` as StoredEvent['type'],
      actor: by.actor,
      client_id: by.clientId,
      changes: [...toMemberChanges(before, after)],
      created_at: after?.updated_at ?? now.toISOString(),
    },
  };
}

function toMemberChanges(before: Members = {}, after: Members = {}): readonly FieldChange[] {
  const [from, to] = [flatten(before), flatten(after)];
  return [...new Set([...from.keys(), ...to.keys()])]
    .map((field) => ({ field, from: from.get(field) ?? null, to: to.get(field) ?? null }))
    .filter((change) => !isDeepStrictEqual(change.from, change.to));
}

/** Returns the values by member name; a member of an inner object has a name such as `titles.de`. */
function flatten(members: Members): Map<string, FieldValue> {
  const pairs = Object.entries(members)
    .filter(([name]) => !omitted.has(name))
    .flatMap(([name, value]): [string, unknown][] =>
      isJsonObject(value)
        ? Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each])
        : [[name, value]],
    );
  return new Map(pairs as [string, FieldValue][]);
}
