import { Box, Stack, Badge, VisuallyHidden } from "@mantine/core";
import { createElement, type ReactNode, useState, useSyncExternalStore, type CSSProperties } from "react";
import { type NotificationStatus, statusFacts, type Tone } from "shared/core/message";
import { formatExactTime, formatRelative, formatWhen, formatZoned } from "../../format.ts";
import { t, translated } from "../../language.ts";
import statusClasses from "./status.module.css";
import classes from "./ui.module.css";

/** A list of `Fact`s: name and value. `told`: those that come first, in words, such as a form tells them. */
export const Facts = ({ told = [], children }: { told?: readonly { name: string; text: string }[]; children?: ReactNode }) => (
  <Stack component="dl" gap="0.3rem" m={0} fz="sm">
    {told.map(({ name, text }) => (
      <Fact key={name} name={name}>
        {text}
      </Fact>
    ))}
    {children}
  </Stack>
);

/** Draws nothing for null, undefined, false and an empty text. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === "") return null;
  return (
    <div className={classes["fact"]}>
      <Box component="dt" c="dimmed">
        {name}
      </Box>
      <Box component="dd" m={0} style={{ overflowWrap: "anywhere" }}>
        {children}
      </Box>
    </div>
  );
}

/** `at`: ISO 8601, null if it never expires. */
export function Expiry({ at }: { at: string | null }) {
  const [now] = useState(Date.now);
  if (at === null) return t("Never");
  return Date.parse(at) > now ? <Moment at={at} /> : <Status tone="failed">{t("expired")}</Status>;
}

interface MomentProps {
  /** ISO 8601. */
  at: string;
  /** True where the second matters, as in a drawer: the time then stays as it is written, with its day and zone. */
  seconds?: boolean;
}

/**
 * The one way to show a time: `4 min ago` within an hour, else the time of day, else the date, in the reader's zone. The full time with its zone is in the
 * tooltip and is what screen readers read. A relative time moves on by itself.
 */
export function Moment({ at, seconds = false }: MomentProps) {
  const when = useSyncExternalStore(onTick, () => (seconds ? formatZoned(at) : formatWhen(at)));
  return <Timed at={at}>{when}</Timed>;
}

/** Draws nothing where there is no time. */
export const TimeFact = ({ name, at, seconds }: Omit<MomentProps, "at"> & { name: string; at: string | null | undefined }) => (
  <Fact name={name}>{at != null && <Moment at={at} {...(seconds === true && { seconds })} />}</Fact>
);

function Timed({ at, children }: { at: string; children: string }) {
  const full = formatExactTime(at);
  return (
    <time dateTime={at} title={full} className={classes["time"]}>
      <span aria-hidden>{children}</span>
      <VisuallyHidden>{full}</VisuallyHidden>
    </time>
  );
}

const tickMs = 10_000;

/** Has `useSyncExternalStore` look at the clock. */
export function onTick(look: () => void): () => void {
  const ticking = setInterval(look, tickMs);
  return () => clearInterval(ticking);
}

/** The due time of a message, and how far off that is. `at`: null while its site pauses sending. */
export function Due({ at }: { at: string | null }) {
  if (at === null) return t("When the site resumes sending");
  return (
    <>
      <Timed at={at}>{formatZoned(at)}</Timed> <span style={{ whiteSpace: "nowrap" }}>({formatRelative(at)})</span>
    </>
  );
}

/** The status of a message. */
export const StatusBadge = ({ status }: { status: NotificationStatus }) => (
  <Status tone={statusFacts[status].tone}>{translated(status)}</Status>
);

/** The one badge of every list: a dot, and a word in sentence case, which alone must be enough. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={statusClasses["status"]} data-tone={tone} style={{ "--tone": toneColor(tone) } as CSSProperties}>
    <span className={statusClasses["word"]} title={typeof children === "string" ? children : undefined}>
      {children}
    </span>
  </span>
);

/** The colour of a tone in both schemes, as a CSS value, for charts and lines. */
export const toneColor = (tone: Tone): string => `var(--status-${tone})`;

/** What stands between parts of `formatParts` that are a line by themselves: without a word of its own, such a line has the language's direction by a mark. */
export const between = (signs: string): string => (document.dir === "rtl" ? `\u200f${signs}` : signs);

/** A name breaks behind its dots, underscores and slashes, and not within a word; it is read out and copied as one. */
export const breakable = (shown: ReactNode): ReactNode => {
  if (typeof shown !== "string" || !/[._/]\p{L}/u.test(shown)) return shown;
  const part = (text: string, key: number) => createElement("span", { key, "data-part": true }, text);
  return <span>{shown.split(/(?<=[._/])(?=\p{L})/u).map(part)}</span>;
};

/** A small outlined label of what something is, not of how it stands: see `Status` for that. */
export const LabelBadge = ({ children }: { children: ReactNode }) => (
  <Badge variant="outline" color="gray" c="var(--mantine-color-text)" tt="none" miw="max-content">
    <span className={statusClasses["word"]}>{children}</span>
  </Badge>
);
