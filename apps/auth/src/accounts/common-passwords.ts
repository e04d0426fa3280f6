/** The shortest one that the list is kept of; what is shorter is refused for its length, or is a core to look up. */
const MIN_LENGTH = 4;

/**
 * Loads the passwords that people use most, in lower case (some 49,000; 100 ms and 4 MB of heap, so only a program
 * that sets passwords pays for them).
 */
export async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter(({ length }) => length >= MIN_LENGTH));
}
