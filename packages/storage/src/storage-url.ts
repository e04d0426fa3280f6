/** The file that a URL such as `sqlite:./data/auth.db` names, `undefined` for one of MongoDB. */
export function sqlitePathOf(url: string): string | undefined {
  return /^sqlite:(.*)/s.exec(url)?.[1];
}

/** The database that a MongoDB URL names, `undefined` when it names none. */
export function databaseOf(url: string): string | undefined {
  const name = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}
