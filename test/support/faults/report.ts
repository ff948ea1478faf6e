/** One line of the run's table: what was broken, how often, over what. Written whether it passes or not: a seed is worth most when it fails. */
export function report(scenario: string, counts: Record<string, string | number>): void {
  const columns = Object.entries(counts).map(([name, value]) => `${name} ${value}`);
  process.stdout.write(`faults | ${[scenario, ...columns].join(" | ")}\n`);
}
