/** The database that a MongoDB URL names, `undefined` when it names none. */
export function databaseOf(url: string): string | undefined {
  const name = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}
