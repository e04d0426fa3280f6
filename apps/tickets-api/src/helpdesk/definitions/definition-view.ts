import { hash } from 'node:crypto';
import { z } from 'zod';
import { versionShape } from '../../wire/schema/read-only.ts';
import { timestamp } from '../../wire/schema/scalars.ts';
import type { DefinitionChange, Members } from '../history/definition-event.ts';
import { idPattern } from './defined-id.ts';
import {
  type Definition,
  type DefinitionKind,
  kindNames,
  MAX_DEFINITIONS,
  MAX_POSITION,
  statusCategories,
} from './definition.ts';
import type { DefinitionSet } from './definition-set.ts';

/** Id of a status, type or priority. */
const definitionId = z
  .string()
  .regex(idPattern, 'must be a lower-case letter and up to 63 letters, digits and _');

const MAX_TITLES = 100;
const title = z.string().trim().min(1).max(255).meta({ pattern: '\\S' });

const titles = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag (RFC 5646) such as de or pt-BR')
      .max(35),
    title,
  )
  .refine((given) => Object.keys(given).length <= MAX_TITLES, `must not have more than ${MAX_TITLES} titles`)
  .meta({ maxProperties: MAX_TITLES, description: 'Titles in other languages, by language tag (RFC 5646)' });

const order = z.int().min(0).max(MAX_POSITION);

const ids = z
  .array(definitionId)
  .max(MAX_DEFINITIONS)
  .refine((given) => new Set(given).size === given.length, 'must not repeat a status')
  .meta({ item: 'status', uniqueItems: true });

/** Extension of a `transition_not_allowed` problem: the statuses that the ticket can go to. */
export const allowedStatusesSchema = z.array(definitionId).meta({
  item: 'status',
  description: 'With `transition_not_allowed`: statuses that the ticket can change to',
});

const written = {
  title: title.meta({ pattern: '\\S', description: 'Title in the default language' }),
  titles,
};

const hidden = z
  .boolean()
  .describe('Whether it can no longer be chosen. Tickets that have it keep it, and filters still accept it');
const position = order.describe('Position in lists, in ascending order');
const rank = order.describe('Sort order of tickets; a higher rank is more urgent');
const transitions = ids
  .nullable()
  .describe('Statuses that a ticket can change to; null for all that the category allows');

const id = definitionId.meta({ readOnly: true, description: 'Value of the field in tickets; never changes' });
const category = z.enum(statusCategories).meta({
  readOnly: true,
  description: 'Stage of the workflow, which determines the allowed transitions; never changes',
});

const kept = {
  built_in: z
    .boolean()
    .meta({ readOnly: true, description: 'Whether it is built in; if so, it can be hidden but not removed' }),
  replaced_by: definitionId.nullable().meta({
    readOnly: true,
    description:
      'Definition that is replacing this one on tickets; this one is removed once no ticket has it',
  }),
  created_at: timestamp.meta({ readOnly: true, description: 'Time of creation' }),
  ...versionShape,
};

/** A status in every format. */
export const ticketStatusSchema = z.strictObject({
  id,
  category,
  ...written,
  position: position.describe('Position among the statuses of its category, in ascending order'),
  hidden,
  transitions,
  can_become: ids.meta({
    readOnly: true,
    item: 'status',
    description:
      'Statuses that a ticket can change to now, given `transitions`, the category and hidden statuses',
  }),
  ...kept,
});

/** A type in every format. */
export const ticketTypeSchema = z.strictObject({ id, ...written, position, hidden, ...kept });

/** A priority in every format. */
export const ticketPrioritySchema = z.strictObject({ id, ...written, rank, hidden, ...kept });

/** Schemas of each kind in every format. */
export const resourceSchemas: Readonly<Record<DefinitionKind, z.ZodObject>> = {
  status: ticketStatusSchema,
  type: ticketTypeSchema,
  priority: ticketPrioritySchema,
};

const defaults = { ...written, titles: titles.default({}), hidden: hidden.default(false) };

/** Writable members, with their defaults. */
export const contentSchemas = {
  status: z.strictObject({
    ...defaults,
    position: ticketStatusSchema.shape.position.default(0),
    transitions: transitions.default(null),
  }),
  type: z.strictObject({ ...defaults, position: position.default(0) }),
  priority: z.strictObject({ ...defaults, rank }),
} as const satisfies Record<DefinitionKind, z.ZodObject>;

const newId = definitionId.describe('Value of the field in tickets; never changes');

/** Bodies of `POST`. */
export const newSchemas = {
  status: z.strictObject({
    id: newId,
    category: z
      .enum(statusCategories)
      .describe('Stage of the workflow, which determines the allowed transitions; never changes'),
    ...contentSchemas.status.shape,
  }),
  type: z.strictObject({ id: newId, ...contentSchemas.type.shape }),
  priority: z.strictObject({ id: newId, ...contentSchemas.priority.shape }),
} as const satisfies Record<DefinitionKind, z.ZodObject>;

export type TicketStatus = Readonly<z.output<typeof ticketStatusSchema>>;
export type TicketType = Readonly<z.output<typeof ticketTypeSchema>>;
export type TicketPriority = Readonly<z.output<typeof ticketPrioritySchema>>;

/** Definition in a response. */
export type DefinitionView = TicketStatus | TicketType | TicketPriority;

/** Returns a definition as it is sent. */
export function toView(definition: Definition, set: DefinitionSet): DefinitionView {
  const { kind, id, category, title, titles, position, hidden, ...others } = definition;
  const { transitions, built_in, replaced_by, created_at, updated_at, version } = others;
  const kept = { built_in, replaced_by, created_at, updated_at, version };
  const written = { id, title, titles };
  if (kind === 'type') return Object.freeze({ ...written, position, hidden, ...kept });
  if (kind === 'priority') return Object.freeze({ ...written, rank: position, hidden, ...kept });
  const known = transitions?.filter((each) => set.find({ kind, id: each }));
  const stage = category ?? 'open';
  const can_become = [...set.nextOf({ id, category: stage })];
  return Object.freeze({
    ...{ id, category: stage, title, titles },
    ...{ position, hidden, transitions: known ?? null, can_become, ...kept },
  });
}

/** Returns the version in an entity tag. It covers `can_become`, which changes with other statuses as well. */
export function toDefinitionTag(view: {
  version: number;
  can_become?: readonly string[] | undefined;
}): string {
  const { version, can_become } = view;
  if (!can_become) return String(version);
  return `${version}.${hash('sha1', can_become.join(), 'base64url').slice(0, 12)}`;
}

/** Returns the change of a status, type or priority for its event. At least one of the two states is present. */
export function describeDefinitionChange(
  before: Definition | undefined,
  after: Definition | undefined,
): DefinitionChange {
  const { kind, id } = (after ?? before) as Definition;
  return {
    resource: { type: kindNames[kind].singular, id },
    before: before && toMembers(before),
    after: after && toMembers(after),
  };
}

/** Returns the members under their names in the API. */
function toMembers({ kind, position, category, transitions, ...members }: Definition): Members {
  if (kind === 'priority') return { ...members, rank: position };
  return kind === 'status' ? { ...members, category, position, transitions } : { ...members, position };
}
