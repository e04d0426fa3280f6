/** Runs operations one after the other, in the order in which they came, whether they fail or not. */
export type InTurn = <T>(operation: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (operation) => {
    const turn = last.then(operation);
    last = turn.catch(() => undefined);
    return turn;
  };
}
