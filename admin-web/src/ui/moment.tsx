import { formatExactTime, formatSeconds, formatTime } from "../format.ts";

/** An instant in the reader's own zone and words, exact to the second on hover and for machines. `at`: ISO 8601. `seconds`: they matter here. */
export function Moment({ at, seconds = false }: { at: string; seconds?: boolean }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {seconds ? formatSeconds(at) : formatTime(at)}
    </time>
  );
}
