type Method = (...args: unknown[]) => unknown;

/**
 * Returns a storage that repeats a call whose transaction conflicted until its time limit, which changed nothing. On a
 * busy machine, the stand-in of MongoDB needs longer for a race than a request may take.
 */
export function withPatience<Storage extends object>(storage: Storage): Storage {
  return mapValues(storage, (member) =>
    typeof member === 'object' && member !== null ? mapValues(member, repeatConflicts) : member,
  );
}

function mapValues<Members extends object>(members: Members, map: (member: unknown) => unknown): Members {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member)])) as Members;
}

function repeatConflicts(method: unknown): unknown {
  return function call(...args: unknown[]): unknown {
    const result = (method as Method)(...args);
    if (!(result instanceof Promise)) return result;
    return result.catch((err) => {
      if (!(err instanceof Error && err.message.startsWith('Too many concurrent changes'))) throw err;
      return call(...args);
    });
  };
}
