/** What a call costs of this process's processor time, in milliseconds: others on the machine do not lengthen it. */
export function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
