/** The cost of a call in this process's processor time, in milliseconds, which other programs do not lengthen. */
export function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
