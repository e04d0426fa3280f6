/** Shortest password of the list that is loaded. The policy rejects shorter ones by length. */
const MIN_LENGTH = 4;

/**
 * Loads the most common passwords, in lower case. The 49,000 entries cost 100 ms and 4 MB of heap, so only programs
 * that set passwords load them.
 */
export async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter(({ length }) => length >= MIN_LENGTH));
}
