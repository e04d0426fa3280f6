/** Patterns of the secrets that must never be logged. */
const secrets: Readonly<Record<string, RegExp>> = {
  'a signed token': /eyJ[\w-]{8,}\.[\w-]{8,}\./,
  'a client secret or a registration token': /\bkd[a-z]{2}_[\w-]{20,}/,
  'an Authorization header': /\b(Bearer|DPoP|Basic) [\w+/=.~-]{8,}/,
  'a cookie': /\b_(session|interaction)[\w.]*=[\w-]{8,}/,
};

/**
 * Checks that the output of a server contains no secret.
 *
 * @param others further secrets of the suite, such as passwords of its accounts
 * @throws {Error} with the kind of the secret and the line
 */
export function assertNoSecrets(written: string, others: readonly string[] = []): void {
  for (const line of written.split('\n')) {
    const [kind] = Object.entries(secrets).find(([, pattern]) => pattern.test(line)) ?? [];
    const found = kind ?? others.find((secret) => line.includes(secret));
    if (found !== undefined) throw new Error(`The log contains ${found}: ${line}`);
  }
}
