interface DaySpan {
  /** Days of the reader's own, YYYY-MM-DD; both belong to the span whole. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The same span as the server takes it: as instants, of which both belong to it. */
export const daySpan = ({ from, to }: DaySpan): DaySpan => ({
  from: from && midnight(from, 0).toISOString(),
  to: to && new Date(midnight(to, 1).getTime() - 1).toISOString(),
});

/** In the reader's zone, `later` days after the named one. */
function midnight(day: string, later: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later);
}
