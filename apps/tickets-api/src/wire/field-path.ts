/** Path of a value in a document, from its root: member names and array indices. */
export type FieldPath = readonly PropertyKey[];

const MAX_NAME_LENGTH = 100;

/**
 * Returns the path as error messages show it, such as `requester.email` and `tags[2]`. A name that is not a word is quoted, as
 * in `custom_fields["a b"]`. Very long names are truncated.
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
