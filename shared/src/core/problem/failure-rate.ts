/** How many messages have an outcome, and how many of them failed. */
type Outcomes = Record<"failed" | "total", number>;

export interface RecentOutcomes extends Outcomes {
  /** Whether there are messages that were not looked at. */
  more: boolean;
}

export interface DayOutcomes extends Outcomes {
  daysAgo: number;
}

/** A rate is judged only of this many messages or more. */
const fewestMessages = 20;
const fewestFailures = 5;
/** An account's history is long enough once it began so long ago. */
const historyDays = 7;
/** Days with fewer messages than `fewestMessages` are left out, unless there are fewer other days than these. */
const fewestDays = 3;
const highWithoutHistory = 0.5;
/** A rate that was too high stays so until it is this much below the bound, so that the alert does not flap. */
const slack = 0.75;

/**
 * Whether failures are more frequent than usual: at least `atLeast`, twice as frequent as on the median day (or half-way from there to all), and more than
 * chance explains. Without a history half of the messages must have failed. Too few messages change nothing: a rate that was too high stays so until none
 * of them fails or none comes. Rates are from 0 to 1; `usual` is null before there is a history.
 */
export function judgeFailureRate(recent: RecentOutcomes, days: readonly DayOutcomes[], atLeast: number, wasHigh: boolean) {
  const usual = usualRate(days);
  const rate = recent.total === 0 ? 0 : recent.failed / recent.total;
  const high = usual === null ? highWithoutHistory : Math.min(2 * usual, usual + (1 - usual) / 2);
  const bound = Math.max(atLeast, high);
  if (recent.total < fewestMessages) return { isHigh: wasHigh && (recent.failed > 0 || recent.more), rate, usual };
  if (wasHigh) return { isHigh: rate > bound * slack, rate, usual };
  const isRare = recent.failed < fewestFailures || (usual !== null && isChance(recent, usual));
  return { isHigh: rate >= bound && !isRare, rate, usual };
}

function isChance({ failed, total }: Outcomes, usual: number): boolean {
  const expected = total * usual;
  return failed < expected + 3 * Math.sqrt(expected * (1 - usual));
}

/** The median, since a single bad day is not usual; of few messages a day, the rate of all days together. */
function usualRate(days: readonly DayOutcomes[]): number | null {
  if (!days.some(({ daysAgo }) => daysAgo >= historyDays)) return null;
  const rates = days
    .filter(({ total }) => total >= fewestMessages)
    .map(({ failed, total }) => failed / total)
    .toSorted((a, b) => a - b);
  if (rates.length >= fewestDays) return rates[Math.floor(rates.length / 2)] ?? null;
  const [failed, total] = days.reduce(([x, y], day) => [x + day.failed, y + day.total], [0, 0]);
  return total < fewestMessages ? null : failed / total;
}
