const fewest = 4;
const niceSteps = [1, 2, 5, 10];

/** Round numbers from 0 to `most` or a little beyond, for an axis of whole things. */
export function niceTicks(most: number): number[] {
  const wanted = Math.max(most / fewest, 1);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * (niceSteps.find((each) => each * power >= wanted) ?? 10);
  return Array.from({ length: Math.max(Math.ceil(most / step), 1) + 1 }, (_, index) => index * step);
}
