/** Stages of the workflow, in order. Each status belongs to one category. */
export const statusCategories = ['new', 'open', 'pending', 'hold', 'solved', 'closed'] as const;
export type StatusCategory = (typeof statusCategories)[number];

/** Transitions from each category. No ticket becomes new again, and a closed ticket stays closed. */
export const categoryTransitions: Readonly<Record<StatusCategory, readonly StatusCategory[]>> = {
  new: ['open', 'pending', 'hold', 'solved'],
  open: ['pending', 'hold', 'solved'],
  pending: ['open', 'hold', 'solved'],
  hold: ['open', 'pending', 'solved'],
  solved: ['open', 'pending', 'hold', 'closed'],
  closed: [],
};

/** Whether a ticket can go from a status of one category to a different one of the other. */
export function isPassable(from: StatusCategory, to: StatusCategory): boolean {
  return categoryTransitions[from].includes(to) || (from === to && from !== 'closed');
}

export const definitionKinds = ['status', 'type', 'priority'] as const;
export type DefinitionKind = (typeof definitionKinds)[number];

/** Identifies a status, type or priority. */
export interface DefinitionRef {
  readonly kind: DefinitionKind;
  readonly id: string;
}

/** A status, type or priority that tickets can have. Frozen. */
export interface Definition extends DefinitionRef {
  /** In the default language. */
  readonly title: string;
  /** By language tag. */
  readonly titles: Readonly<Record<string, string>>;
  /** Order among those of its kind and, of statuses, its category; the rank of a priority. */
  readonly position: number;
  /** Whether it can no longer be chosen. Tickets that have it keep it. */
  readonly hidden: boolean;
  /** Category of a status; never changes. Null for types and priorities. */
  readonly category: StatusCategory | null;
  /** Ids of the statuses that a ticket can go to; null: all that the category allows. Only of statuses. */
  readonly transitions: readonly string[] | null;
  /** The id of the one that takes its place on tickets, until it is removed. */
  readonly replaced_by: string | null;
  readonly built_in: boolean;
  /** RFC 3339 UTC with milliseconds. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Counts changes from 1. */
  readonly version: number;
}

/** The maximum number of definitions of each kind, built-in ones included. */
export const MAX_DEFINITIONS = 200;

/** The highest position and rank. */
export const MAX_POSITION = 1_000_000;

/** The words for a kind: in texts, in its path, and in that of its collection. */
export const kindNames = {
  status: { noun: 'status', nouns: 'statuses', singular: 'ticket_status', plural: 'ticket_statuses' },
  type: { noun: 'type', nouns: 'types', singular: 'ticket_type', plural: 'ticket_types' },
  priority: {
    noun: 'priority',
    nouns: 'priorities',
    singular: 'ticket_priority',
    plural: 'ticket_priorities',
  },
} as const satisfies Record<DefinitionKind, object>;

/** The kind of definition that a field of a ticket has the ids of; fields and kinds have the same names. */
export function isDefinitionKind(field: string): field is DefinitionKind {
  return (definitionKinds as readonly string[]).includes(field);
}
