import { findNearestNames } from './nearest-names.ts';

/** List as error texts name it. */
export interface ParameterOwner {
  /** Name of the list, such as `tickets`. */
  list: string;
  /** Id of the operation, which is its anchor in the API reference. */
  operation: string;
  /** Replacements for parameters that clients expect, such as `since` instead of `cursor`. */
  instead?: Readonly<Record<string, string>>;
}

/** Parameters that have the same meaning on every list that offers them. */
export const commonParameters = ['limit', 'cursor', 'sort', 'fields', 'total'] as const;

/** With more parameters than this, the error text links to the reference instead of listing them. */
const MAX_LISTED = 12;

/**
 * Builds the error text for an unknown parameter, with what to send instead.
 *
 * @param known names of the known parameters, and patterns of names that are data
 */
export function describeUnknown(name: string, known: readonly string[], owner?: ParameterOwner): string {
  const see = owner && `see /docs#${owner.operation}`;
  const [, instead] = Object.entries(owner?.instead ?? {}).find(([each]) => each === name) ?? [];
  if (owner && (instead || commonParameters.some((each) => each === name))) {
    return `is not offered for ${owner.list}; ${instead ? `send ${instead}` : see}`;
  }
  const nearest = findNearestNames(name, known);
  if (nearest.length > 0) {
    const question = `is not a known parameter; did you mean ${toChoice(nearest)}?`;
    return see ? `${question} Otherwise ${see}` : question;
  }
  if (see && known.length > MAX_LISTED) return `is not a known parameter; ${see}`;
  return `is not a known parameter; known: ${known.join(', ') || 'none'}`;
}

function toChoice(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]+)$/, ' or $1');
}
