/** The benchmarks print for people: one line at a time, columns of one width. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

export const row = (cells: string[]): void => say(cells.map((cell, i) => (i === 0 ? cell.padEnd(10) : cell.padStart(12))).join(""));

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? (sorted[Math.floor(middle)] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}
