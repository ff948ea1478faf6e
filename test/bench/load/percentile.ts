/** The value below which `percent` of the ascending values lie; NaN of none. */
export const percentile = (ascending: readonly number[], percent: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor((ascending.length * percent) / 100))] ?? NaN;

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? (sorted[Math.floor(middle)] ?? NaN) : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}
