import { Timeline, type TimelineProps } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatExactTime, formatSeconds, formatTime } from "../format.ts";
import { LabelBadge } from "./status-badge.tsx";
import classes from "./ui.module.css";

/** What is known of a thing, a `Fact` each. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={classes["facts"]}>{children}</dl>;

/** What there is not (null, false or an empty text) is left out. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === "") return null;
  return (
    <div className={classes["fact"]}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Until when something may be used. `at`: ISO 8601, null for no end. */
export function GoodUntil({ at }: { at: string | null }) {
  const [now] = useState(Date.now);
  if (at === null) return "no end";
  return Date.parse(at) > now ? <Moment at={at} /> : <LabelBadge color="red">expired</LabelBadge>;
}

/** An instant in the reader's own zone and words, exact to the second on hover and for machines. `at`: ISO 8601. `seconds`: they matter here. */
export function Moment({ at, seconds = false }: { at: string; seconds?: boolean }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {seconds ? formatSeconds(at) : formatTime(at)}
    </time>
  );
}

/** A timeline whose items stand close together. */
export const DenseTimeline = (props: TimelineProps) => <Timeline lineWidth={2} classNames={{ item: classes["item"] ?? "" }} {...props} />;
