/** What secrets of ours look like, wherever they turn up. */
const secrets: Readonly<Record<string, RegExp>> = {
  'a signed token': /eyJ[\w-]{8,}\.[\w-]{8,}\./,
  'a client secret or a registration token': /\bkd[a-z]{2}_[\w-]{20,}/,
  'an Authorization header': /\b(Bearer|DPoP|Basic) [\w+/=.~-]{8,}/,
  'a cookie': /\b_(session|interaction)[\w.]*=[\w-]{8,}/,
};

/**
 * Looks through everything that a server has written for what no log may hold.
 *
 * @param others further secrets that the suite has used, such as the password of its accounts
 * @throws {Error} that names the kind of the secret, and shows the line
 */
export function assertNoSecrets(written: string, others: readonly string[] = []): void {
  for (const line of written.split('\n')) {
    const [kind] = Object.entries(secrets).find(([, pattern]) => pattern.test(line)) ?? [];
    const found = kind ?? others.find((secret) => line.includes(secret));
    if (found !== undefined) throw new Error(`The log holds ${found}: ${line}`);
  }
}
