import { Timeline, type TimelineProps } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatExactTime, formatRelative, formatSeconds, formatTime } from "../format.ts";
import { t } from "../language.ts";
import { LabelBadge } from "./status-badge.tsx";
import classes from "./ui.module.css";

/** A list of `Fact`s: name and value. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={classes["facts"]}>{children}</dl>;

/** Draws nothing for null, undefined, false and an empty text. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === "") return null;
  return (
    <div className={classes["fact"]}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** `at`: ISO 8601, null if it never expires. */
export function Expiry({ at }: { at: string | null }) {
  const [now] = useState(Date.now);
  if (at === null) return "never";
  return Date.parse(at) > now ? <Moment at={at} /> : <LabelBadge color="red">{t("expired")}</LabelBadge>;
}

/** A time in the reader's zone, with the exact time on hover. `at`: ISO 8601. */
export function Moment({ at, seconds = false }: { at: string; seconds?: boolean }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {seconds ? formatSeconds(at) : formatTime(at)}
    </time>
  );
}

/** The due time of a message, and how far off that is. `at`: null while its site pauses sending. */
export function Due({ at }: { at: string | null }) {
  if (at === null) return t("When the site resumes sending");
  return (
    <>
      <Moment at={at} /> <span className={classes["whole"]}>({formatRelative(at)})</span>
    </>
  );
}

/** A timeline with little space between its items. */
export const DenseTimeline = (props: TimelineProps) => <Timeline lineWidth={2} classNames={{ item: classes["item"] ?? "" }} {...props} />;
