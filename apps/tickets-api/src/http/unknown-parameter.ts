import { findNearest } from './nearest-names.ts';

/** A list whose parameters are read, as error texts name it. */
export interface ParameterOwner {
  /** The name of the list, such as `tickets`. */
  list: string;
  /** The id of the operation, which is its anchor on the page of the contract. */
  operation: string;
  /** Replacements for parameters that clients expect, such as `since` instead of `cursor`. */
  instead?: Readonly<Record<string, string>>;
}

/** The parameters that mean the same on every list that offers them. */
export const commonParameters = ['limit', 'cursor', 'sort', 'fields', 'total'] as const;

/** More names than that are looked up, not read in an error text. */
const MAX_NAMED = 12;

/**
 * The error text for a parameter that an operation does not have, with what to send instead.
 *
 * @param known names of the parameters that it has, and forms of names that are data
 */
export function describeUnknown(name: string, known: readonly string[], owner?: ParameterOwner): string {
  const see = owner && `see /docs#${owner.operation}`;
  const [, instead] = Object.entries(owner?.instead ?? {}).find(([each]) => each === name) ?? [];
  if (owner && (instead || commonParameters.some((each) => each === name))) {
    return `is not offered for ${owner.list}; ${instead ? `send ${instead}` : see}`;
  }
  const nearest = findNearest(name, known);
  if (nearest.length > 0) {
    const question = `is not known here; did you mean ${toChoice(nearest)}?`;
    return see ? `${question} Otherwise ${see}` : question;
  }
  if (see && known.length > MAX_NAMED) return `is not known here; ${see} for what is`;
  return `is not known here; known are ${known.join(', ') || 'none'}`;
}

function toChoice(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]+)$/, ' or $1');
}
