import { Button, CloseButton, Group, Progress, Text, VisuallyHidden } from "@mantine/core";
import { useId } from "react";
import type { Tone } from "shared/core/message";
import type { OperationKind, OperationState, Outcome } from "shared/core/operation";
import { formatCount, formatParts, formatPercent } from "../../format.ts";
import { t, translated } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { TextLink } from "../base/buttons.tsx";
import { Status, toneColor } from "../base/facts.tsx";
import labels from "./operation-labels.json";

/** `operation` of `operations.get`. */
export type Operation = Pick<
  Outputs["operations"]["get"]["operation"],
  "id" | "kind" | "by" | "startedAt" | "finishedAt" | "total" | "done" | "state"
> & {
  outcomes: Partial<Record<Outcome, number>>;
};

interface OperationProgressProps {
  operation: Operation;
  /** What is done, such as `Resend of failed messages`. */
  title: string;
  /** Where exactly its messages or deliveries are shown; absent for an operation of neither. */
  items?: { to: string; search?: object } | undefined;
  /** Where what a stop has left is shown. */
  rest: { to: string; search?: object };
  /** Absent for those who may not stop it. */
  onStop?: (() => void) | undefined;
  /** Takes it away once it is over. */
  onDismiss?: (() => void) | undefined;
}

const tones: Record<Outcome, Tone> = {
  delivered: "delivered",
  changed: "delivered",
  sent: "waiting",
  skipped: "waiting",
  cancelled: "waiting",
  failed: "failed",
};

/** What came of its parts, such as `Failed: 2`; an erasure's parts are tables, whose number tells nothing. */
export const outcomeWords = (kind: OperationKind, [outcome, count]: [Outcome, number]): string =>
  kind === "erasure" && outcome === "changed"
    ? t("Erased")
    : t("{outcome}: {count}", { outcome: skippedWords(kind, outcome) ?? translated(labels.outcomes[outcome]), count: formatCount(count) });

/** What is left out of those that are tried again, because of what it is. */
function skippedWords(kind: OperationKind, outcome: Outcome): string | null {
  if (outcome !== "skipped") return null;
  if (kind === "replay_deliveries") return t("Not retried, as their text is no longer kept");
  return kind === "resend" ? t("Skipped, as they cannot be resent") : null;
}

export const operationStateLabel = (state: OperationState): string => translated(labels.states[state]);

/** Of a backfill and a replay the parts are events, some of which have no message, and some several. */
function showLabel(kind: OperationKind, done: number): string {
  if (kind === "backfill" || kind === "replay") return t("Show messages");
  return kind === "replay_deliveries"
    ? t("{done, plural, one {Show # delivery} other {Show # deliveries}}", { done })
    : t("{done, plural, one {Show # message} other {Show # messages}}", { done });
}

const box = {
  px: 12,
  py: 4,
  mih: 34,
  fz: 13,
  lh: "24px",
  bdrs: "var(--mantine-radius-default)",
  bg: "var(--mantine-color-default)",
} as const;
const edge = { bd: "1px solid var(--mantine-color-default-border)", style: { fontVariantNumeric: "tabular-nums" } } as const;

/** In one line: how far an operation is and a button that stops it, and in the end what came of it, with links to exactly its messages. */
export function OperationProgress({ operation, title, items, rest, onStop, onDismiss }: OperationProgressProps) {
  const { kind, state, done, total } = operation;
  const id = useId();
  const isOver = state === "stopped" || state === "finished";
  const link = (label: string, { to, search = {} }: { to: string; search?: object }) => (
    <TextLink underline="hover" to={to} search={search as never} onClick={onDismiss}>
      {label}
    </TextLink>
  );
  return (
    <Group component="article" {...box} {...edge} gap="0 12px" wrap={isOver ? "wrap" : "nowrap"} aria-labelledby={id} tabIndex={-1}>
      {isOver ? (
        <>
          <VisuallyHidden component="h3" id={id}>
            {title}
          </VisuallyHidden>
          <span title={title}>
            <Status tone={toneOf(operation)}>{resultOf(operation)}</Status>
          </span>
          {items !== undefined && done > 0 && link(showLabel(kind, done), items)}
          {state === "stopped" && done < total && link(t("Show what is left"), rest)}
          {onDismiss !== undefined && (
            <CloseButton size="sm" ms="auto" onClick={onDismiss} aria-label={t("Dismiss")} aria-describedby={id} />
          )}
        </>
      ) : (
        <UnderWay {...{ operation, title, id, onStop }} />
      )}
      <VisuallyHidden role="status">{announcement(operation, title)}</VisuallyHidden>
    </Group>
  );
}

const UnderWay = ({ operation, title, id, onStop }: Pick<OperationProgressProps, "operation" | "title" | "onStop"> & { id: string }) => (
  <>
    <Text size="md" id={id} fz={13} fw={600} component="h3" miw={0} truncate title={title}>
      {title}
    </Text>
    <Bar operation={operation} labelledBy={id} />
    <Text span fz={13} c="dimmed" style={{ whiteSpace: "nowrap" }}>
      {formatParts([
        countsOf(operation),
        ...(operation.state === "stopping" ? [operationStateLabel("stopping")] : []),
        ...failedWords(operation),
      ])}
    </Text>
    {operation.state === "running" && onStop !== undefined && (
      <Button size="compact-xs" variant="default" flex="none" onClick={onStop} aria-describedby={id}>
        {t("Stop")}
      </Button>
    )}
  </>
);

const failedWords = ({ outcomes: { failed = 0 } }: Operation): string[] =>
  failed > 0 ? [t("{failed} failed", { failed: formatCount(failed) })] : [];

/** What came of it in the end, such as `75 of 115 messages resent, 3 failed`. */
function resultOf(operation: Operation): string {
  const { kind, state, done, total, outcomes } = operation;
  const { failed = 0, skipped = 0, cancelled = 0 } = outcomes;
  const count = done - skipped - (kind === "cancel" ? failed : cancelled) - (kind === "send_now" ? failed : 0);
  return formatParts([
    ...(state === "stopped" ? [operationStateLabel(state)] : []),
    translated(labels.results[kind], { count: formatCount(count), total }),
    ...failedWords(operation),
    ...(skipped > 0 ? [outcomeWords(kind, ["skipped", skipped])] : []),
  ]);
}

/** Those that there are, in the order of the bar. */
export const outcomesOf = ({ outcomes }: Pick<Operation, "outcomes">): [Outcome, number][] =>
  (Object.keys(tones) as Outcome[]).map((name): [Outcome, number] => [name, outcomes[name] ?? 0]).filter(([, count]) => count > 0);

const stateTones: Record<OperationState, Tone> = { running: "waiting", stopping: "waiting", stopped: "attention", finished: "delivered" };

/** One that has ended with failures is not as good as done. */
function toneOf({ state, done, outcomes: { failed = 0 } }: Pick<Operation, "state" | "done" | "outcomes">): Tone {
  if (failed === 0 || state === "running" || state === "stopping") return stateTones[state];
  return failed === done ? "failed" : "attention";
}

export function OperationStatus(operation: Pick<Operation, "state" | "done" | "outcomes">) {
  const { state, done, outcomes } = operation;
  const [label, failed] = [operationStateLabel(state), outcomes.failed ?? 0];
  const isPlain = failed === 0 || state === "running" || state === "stopping";
  return (
    <Status tone={toneOf(operation)}>
      {isPlain ? label : t("{label}, {failed} of {done} failed", { label, failed: formatCount(failed), done: formatCount(done) })}
    </Status>
  );
}

const countsOf = ({ done, total }: Operation): string => t("{done} of {total}", { done: formatCount(done), total: formatCount(total) });

/** The outcomes so far as parts of the bar. */
function Bar({ operation, labelledBy }: { operation: Operation; labelledBy: string }) {
  const { done, total } = operation;
  return (
    <Progress.Root
      flex="1 1 4rem"
      miw="2rem"
      size={8}
      radius={0}
      bdrs={4}
      bd="1px solid var(--mantine-color-default-border)"
      bg="var(--mantine-color-default-hover)"
      style={{ gap: 1 }}
      role="progressbar"
      aria-labelledby={labelledBy}
      aria-valuetext={countsOf(operation)}
      aria-valuemin={0}
      aria-valuemax={Math.max(total, 1)}
      aria-valuenow={Math.min(done, Math.max(total, 1))}
    >
      {outcomesOf(operation).map(([outcome, count]) => (
        <Progress.Section
          key={outcome}
          withAria={false}
          value={(100 * count) / Math.max(total, done, 1)}
          color={toneColor(tones[outcome])}
          data-reduce-motion
        />
      ))}
    </Progress.Root>
  );
}

/** What a screen reader says by itself: each quarter and each state once, however often the numbers change. */
function announcement({ done, total, state }: Operation, title: string): string {
  if (state !== "running") {
    const counts = formatCount(done);
    if (state === "finished") return t("{title}: finished, {counts} done", { title, counts });
    return state === "stopped" ? t("{title}: stopped, {counts} done", { title, counts }) : t("{title}: stopping", { title });
  }
  const quarter = total === 0 ? 0 : Math.floor((4 * done) / total) / 4;
  return quarter === 0 ? t("{title}: running", { title }) : t("{title}: {share} done", { title, share: formatPercent(quarter) });
}
