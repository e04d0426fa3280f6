import { z } from 'zod';
import { builtInDefinitions } from './built-in.ts';
import { type DefinitionKind, kindNames } from './definition.ts';

/** The form of the ids of statuses, types and priorities. */
export const idPattern = /^[a-z][a-z0-9_]{0,63}$/;

const meanings: Readonly<Record<DefinitionKind, string>> = {
  status: 'How far it has come',
  type: 'What kind of request it is',
  priority: 'How much it matters',
};

/** The ids of the built-in definitions of a kind. */
export function builtInIds(kind: DefinitionKind): readonly string[] {
  return builtInDefinitions.filter((each) => each.kind === kind).map(({ id }) => id);
}

/**
 * The schema of an id in a ticket. Which ids are defined is data, so that the schema of a text says nothing of it and
 * `assertDefined` does.
 */
export function definedId(kind: DefinitionKind) {
  const ids = builtInIds(kind);
  const { nouns, plural } = kindNames[kind];
  return z.string().meta({
    pattern: idPattern.source,
    examples: [...ids],
    description: `${meanings[kind]}: an \`id\` of \`GET /${plural}\`. Built-in ${nouns} are ${ids.map((id) => `\`${id}\``).join(', ')}; administrators may add others`,
  });
}
