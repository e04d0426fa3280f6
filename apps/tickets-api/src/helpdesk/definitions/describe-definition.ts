import type { DefinitionChange, Members } from '../history/definition-event.ts';
import { type Definition, kindNames } from './definition.ts';

/** Returns the change of a status, type or priority for its event. At least one of both states is present. */
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
