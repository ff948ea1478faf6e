import { formatExactTime, formatTime } from "../format.ts";

/** An instant in the reader's own zone and words, exact to the second on hover and for machines. `at`: ISO 8601. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {formatTime(at)}
    </time>
  );
}
