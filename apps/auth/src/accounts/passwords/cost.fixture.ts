const SAMPLES = 9;

/**
 * Returns the CPU time of the second task divided by that of the first, each the minimum of alternating runs. Unlike
 * wall-clock time, CPU time hardly depends on the load of the machine.
 *
 * @param settle waits for the background tasks of a run, whose cost is not counted
 */
export async function costRatio(
  one: (i: number) => Promise<unknown>,
  other: (i: number) => Promise<unknown>,
  settle: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  const costs: [one: number[], other: number[]] = [[], []];
  for (let i = 0; i < SAMPLES; i += 1) {
    for (const [of, task] of [one, other].entries()) {
      costs[of]?.push(await costOf(() => task(i)));
      await settle();
    }
  }
  return Math.min(...costs[1]) / Math.min(...costs[0]);
}

async function costOf(task: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
