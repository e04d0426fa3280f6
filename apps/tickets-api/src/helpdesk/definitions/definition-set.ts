import { hash } from 'node:crypto';
import { builtInDefinitions } from './built-in.ts';
import {
  type Definition,
  type DefinitionKind,
  type DefinitionRef,
  isPassable,
  type StatusCategory,
  statusCategories,
} from './definition.ts';

/** Snapshot of the statuses, types and priorities. */
export interface DefinitionSet {
  /**
   * Returns the definitions of a kind: statuses by category, position and id; types and priorities by position and id.
   */
  of(kind: DefinitionKind): readonly Definition[];
  find(ref: DefinitionRef): Definition | undefined;
  /** Returns the ids of a kind, in order. */
  idsOf(kind: DefinitionKind): readonly string[];
  /** Returns the ids of a kind that are not hidden, in order. */
  choosable(kind: DefinitionKind): readonly string[];
  /** Returns the statuses that a ticket can go to, without hidden ones. */
  nextOf(status: StatusOfTicket): readonly string[];
  /** Tag that is equal for sets of the same versions. */
  readonly tag: string;
}

/** Input of the workflow's rules. */
export interface StatusOfTicket {
  id: string;
  category: StatusCategory;
}

/** @param stored added definitions, and changed built-in ones */
export function createDefinitionSet(stored: readonly Definition[]): DefinitionSet {
  const byKey = new Map([...builtInDefinitions, ...stored].map((each) => [toKey(each), each]));
  const all = [...byKey.values()].toSorted(compare);
  const kinds = Map.groupBy(all, ({ kind }) => kind);
  const of = (kind: DefinitionKind) => kinds.get(kind) ?? [];
  const find = (ref: DefinitionRef) => byKey.get(toKey(ref));
  return Object.freeze({
    of,
    find,
    idsOf: (kind: DefinitionKind) => of(kind).map(({ id }) => id),
    choosable: (kind: DefinitionKind) => idsOf(of(kind).filter(({ hidden }) => !hidden)),
    nextOf(status: StatusOfTicket) {
      const listed = find({ kind: 'status', id: status.id })?.transitions;
      return idsOf(
        of('status').filter(
          ({ id, hidden, category }) =>
            !hidden &&
            id !== status.id &&
            isPassable(status.category, category ?? status.category) &&
            (listed?.includes(id) ?? true),
        ),
      );
    },
    tag: hash('sha1', all.map(toTag).join(), 'base64url'),
  });
}

function toKey({ kind, id }: DefinitionRef): string {
  return `${kind} ${id}`;
}

/**
 * Returns the tag of a definition. It contains the creation time, because a removed definition and a later one with its
 * id may have the same version.
 */
function toTag(definition: Definition): string {
  return `${toKey(definition)} ${definition.version} ${definition.created_at}`;
}

function idsOf(definitions: readonly Definition[]): readonly string[] {
  return definitions.map(({ id }) => id);
}

function compare(one: Definition, other: Definition): number {
  const byCategory = orderOf(one) - orderOf(other);
  return byCategory || one.position - other.position || (one.id < other.id ? -1 : 1);
}

function orderOf({ category }: Definition): number {
  return category === null ? 0 : statusCategories.indexOf(category);
}

/** Set of the built-in definitions in their initial state. */
export const builtInSet: DefinitionSet = createDefinitionSet([]);
