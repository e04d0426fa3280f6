/** Runs operations one at a time, in order, whether they fail or not. */
export type RunSerially = <T>(operation: () => Promise<T>) => Promise<T>;

export function createSerialQueue(): RunSerially {
  let last: Promise<unknown> = Promise.resolve();
  return (operation) => {
    const turn = last.then(operation);
    last = turn.catch(() => undefined);
    return turn;
  };
}
