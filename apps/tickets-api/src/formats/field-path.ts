/** Where a value lies in a document, from its root: names of members and indices of arrays. */
export type FieldPath = readonly PropertyKey[];

const MAX_NAME_LENGTH = 100;

/**
 * The path as callers see it: `requester.email`, `tags[2]`; a name that is not a word is quoted, as in
 * `custom_fields["a b"]`, and cut when it is absurdly long.
 */
export function toFieldName(path: FieldPath): string {
  return path.map(toStep).join('').replace(/^\./, '');
}

function toStep(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const name = String(step);
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return /^[\w-]+$/.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`;
}
