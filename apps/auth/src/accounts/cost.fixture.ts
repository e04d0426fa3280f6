const SAMPLES = 9;

/**
 * What two tasks cost against each other: the second's processor time by the first's, each the least of several
 * measurements in turns. Unlike time on a clock, it is the same on a machine that is busy with other things.
 *
 * @param settle waits for what a task leaves to be done, which is nobody's cost
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
