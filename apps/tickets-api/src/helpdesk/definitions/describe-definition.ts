import type { DefinitionChange, Members } from '../history/definition-event.ts';
import { type Definition, kindNames } from './definition.ts';

/** The change of a status, type or priority as its event describes it. One of both is there. */
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

/** Members under the names that they are sent by. */
function toMembers({ kind, position, category, transitions, ...members }: Definition): Members {
  if (kind === 'priority') return { ...members, rank: position };
  return kind === 'status' ? { ...members, category, position, transitions } : { ...members, position };
}
