/** An instant in the reader's own zone and words, exact to the second on hover and for machines. `at`: ISO 8601. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" })}>
      {isToday(date)
        ? date.toLocaleTimeString(undefined, { timeStyle: "short" })
        : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
    </time>
  );
}

function isToday(date: Date): boolean {
  return date.toDateString() === new Date().toDateString();
}
