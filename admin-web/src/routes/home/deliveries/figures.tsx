import { formatCount, formatPercent } from "../../../format.ts";
import { type Counts, reached } from "../reached.ts";
import classes from "./deliveries.module.css";

interface FiguresProps {
  totals: Counts;
  /** Of as many days before; absent until it is known. */
  before: Counts | undefined;
  days: number;
}

/** What the span came to. */
export function Figures({ totals, before, days }: FiguresProps) {
  const { sent, delivered, read, failed, deliveryRate, readRate, failureRate } = reached(totals);
  const underWay = totals.queued + totals.sending;
  const notes = [before && change(sent, reached(before).sent, days), underWay > 0 && `${formatCount(underWay)} under way`];
  return (
    <dl className={classes["figures"]} aria-label={`The last ${days} days`}>
      <Figure label="Sent" value={sent} note={notes.filter(Boolean).join(", ")} />
      <Figure label="Delivered" value={delivered} note={rate(deliveryRate, "of all messages")} />
      <Figure label="Read" value={read} note={rate(readRate, "of those delivered")} />
      <Figure label="Failed" value={failed} note={rate(failureRate, "of all messages")} />
    </dl>
  );
}

function Figure({ label, value, note }: { label: string; value: number; note: string }) {
  return (
    <div className={classes["figure"]}>
      <dt className={classes["label"]}>{label}</dt>
      <dd className={classes["value"]}>{formatCount(value)}</dd>
      <dd className={classes["note"]}>{note || "\u00A0"}</dd>
    </div>
  );
}

const rate = (share: number | null, of: string): string => (share === null ? "" : `${formatPercent(share)} ${of}`);

function change(now: number, before: number, days: number): string {
  if (before === 0) return "";
  if (now === before) return `as many as in the ${days} days before`;
  const share = formatPercent(Math.abs(now - before) / before);
  return `${share} ${now > before ? "more" : "fewer"} than in the ${days} days before`;
}
