import type { FieldError } from '@keydesk/errors';
import { invalidParameters } from '../../wire/faults/validation-errors.ts';
import { type DefinitionKind, definitionKinds } from '../definitions/definition.ts';
import type { DefinitionSet } from '../definitions/definition-set.ts';
import {
  type Condition,
  type FilterField,
  filterFields,
  type TicketFilter,
  toParameterName,
} from './ticket-filter.ts';

/**
 * Rewrites a filter to the ids of definitions. A negation becomes the list of the other ids, because an index finds
 * tickets of given statuses but can't exclude any. A category becomes the ids of its statuses.
 *
 * @throws {AppError} `validation_failed` with the defined ids for each undefined value
 */
export function resolveDefinitions(definitions: DefinitionSet, filter: TicketFilter): TicketFilter {
  assertDefined(definitions, filter);
  const { status_category: category, ...others } = filter;
  const resolved = { ...others };
  for (const kind of definitionKinds) {
    const condition = resolved[kind];
    if (condition) resolved[kind] = toWanted(kind, condition, definitions.idsOf(kind));
  }
  if (!category) return resolved;
  const inCategory = definitions.of('status').filter((each) => isIn(category, each.category ?? ''));
  const ids = inCategory.map(({ id }) => id);
  const any = resolved.status?.any?.filter((id) => ids.includes(id)) ?? ids;
  return { ...resolved, status: { ...resolved.status, any } };
}

/** @throws {AppError} `validation_failed` with the defined ids for each undefined value */
export function assertDefined(definitions: DefinitionSet, filter: TicketFilter): void {
  const faults: FieldError[] = [];
  for (const kind of definitionKinds) {
    const ids = definitions.idsOf(kind);
    for (const operator of ['any', 'not'] as const) {
      const isUnknown = filter[kind]?.[operator]?.some((id) => !ids.includes(id));
      const message = `must be one of ${ids.join(', ')}`;
      if (isUnknown) faults.push({ field: toParameterName(kind, operator), code: 'not_defined', message });
    }
  }
  if (faults.length > 0) throw invalidParameters(faults);
}

function toWanted(kind: DefinitionKind, condition: Condition, ids: readonly string[]): Condition {
  const { operators }: FilterField = filterFields[kind];
  const { not, any, ...rest } = condition;
  // A field that may be empty also matches when it has none of the unwanted values.
  if (!not || operators.includes('isEmpty')) return condition;
  return { ...rest, any: (any ?? ids).filter((id) => !not.includes(id)) };
}

function isIn({ any, not = [] }: Condition, category: string): boolean {
  return (any?.includes(category) ?? true) && !not.includes(category);
}
