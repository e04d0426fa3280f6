import { z } from 'zod';
import { builtInDefinitions } from './built-in.ts';
import { type DefinitionKind, kindNames } from './definition.ts';

/** Pattern of the ids of statuses, types and priorities. */
export const idPattern = /^[a-z][a-z0-9_]{0,63}$/;

const meanings: Readonly<Record<DefinitionKind, string>> = {
  status: 'Status of the ticket',
  type: 'Kind of request',
  priority: 'Urgency of the ticket',
};

/** Returns the ids of the built-in definitions of a kind. */
function builtInIds(kind: DefinitionKind): readonly string[] {
  return builtInDefinitions.filter((each) => each.kind === kind).map(({ id }) => id);
}

/** Returns the schema of an id. Whether the id is defined is checked later. */
export function idOf(kind: DefinitionKind) {
  const message = `must be an id that GET /${kindNames[kind].plural} returns (lower-case letters, digits and _)`;
  return z
    .string()
    .regex(idPattern, message)
    .meta({ pattern: idPattern.source, examples: [...builtInIds(kind)] });
}

/** Returns the schema of an id in a ticket; `assertChoosable` checks whether it is defined. */
export function definedId(kind: DefinitionKind) {
  const ids = builtInIds(kind);
  const { nouns, plural } = kindNames[kind];
  return idOf(kind).meta({
    description: `${meanings[kind]}: an \`id\` of \`GET /${plural}\`. Built-in ${nouns} are ${ids.map((id) => `\`${id}\``).join(', ')}; administrators may add others`,
  });
}
