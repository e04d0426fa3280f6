/**
 * Returns the CPU time of this thread for synchronous work, in milliseconds. Unlike the time that has passed, it does
 * not depend on the other load of the machine.
 */
export function measureCpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
