import { Box, Button, Card, Group, Progress, Text, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import type { Tone } from "shared/core/message";
import type { OperationKind, OperationState, Outcome } from "shared/core/operation";
import { formatCount, formatPercent } from "../../format.ts";
import { t, translated } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { SmallButton } from "../base/buttons.tsx";
import { Moment, Status, toneColor } from "../base/facts.tsx";
import { rich } from "../base/page.tsx";
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
  /** What is done, such as `Resending messages`. */
  title: string;
  /** Where exactly its messages or deliveries are shown; absent for an operation of neither. */
  items?: { to: string; search?: object } | undefined;
  /** Absent for those who may not stop it. */
  onStop?: (() => void) | undefined;
  /** Takes it away once it is over. */
  onDismiss?: (() => void) | undefined;
}

const card = { display: "grid", px: 16, py: 12, style: { gap: 8, overflow: "visible", overflowWrap: "anywhere" } } as const;
const tabular = { fontVariantNumeric: "tabular-nums" } as const;

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

/** How far an operation is, a button that stops it, and what came of it in the end, with a link to exactly its messages. */
export function OperationProgress({ operation, title, items, onStop, onDismiss }: OperationProgressProps) {
  const { kind, state, done, by, startedAt, finishedAt } = operation;
  const id = useId();
  const isOver = state === "stopped" || state === "finished";
  return (
    <Card component="article" {...card} aria-labelledby={id} tabIndex={-1}>
      <Group gap="4px 12px" mih={26}>
        <Text size="md" id={id} fz={14} fw={600} component="h3" flex="1 1 auto" miw={0}>
          {title}
        </Text>
        <Text size="md" fz={13} c="dimmed" style={tabular}>
          {countsOf(operation)}
        </Text>
        {state === "running" && onStop !== undefined && (
          <SmallButton onClick={onStop} aria-describedby={id}>
            {t("Stop")}
          </SmallButton>
        )}
        {isOver && items !== undefined && done > 0 && (
          <SmallButton renderRoot={(props) => <Link to={items.to} search={(items.search ?? {}) as never} {...props} />}>
            {showLabel(kind, done)}
          </SmallButton>
        )}
        {isOver && onDismiss !== undefined && (
          <Button size="compact-sm" variant="subtle" onClick={onDismiss} aria-describedby={id}>
            {t("Dismiss")}
          </Button>
        )}
      </Group>
      <Bar operation={operation} labelledBy={id} />
      <Group component="ul" gap="4px 16px" fz={13} lh="20px" style={tabular}>
        <li>
          <OperationStatus {...operation} />
        </li>
        {outcomesOf(operation).map(([outcome, count]) => (
          <li key={outcome}>
            <Status tone={tones[outcome]}>{outcomeWords(kind, [outcome, count])}</Status>
          </li>
        ))}
        <Box component="li" c="dimmed">
          {rich(isOver ? t("Ended: <0/>") : t("Began: <0/>"), <Moment at={finishedAt ?? startedAt} />)}
        </Box>
        <Box component="li" c="dimmed">
          {by}
        </Box>
      </Group>
      <VisuallyHidden role="status">{announcement(operation, title)}</VisuallyHidden>
    </Card>
  );
}

/** Those that there are, in the order of the bar. */
export const outcomesOf = ({ outcomes }: Pick<Operation, "outcomes">): [Outcome, number][] =>
  (Object.keys(tones) as Outcome[]).map((name): [Outcome, number] => [name, outcomes[name] ?? 0]).filter(([, count]) => count > 0);

const stateTones: Record<OperationState, Tone> = { running: "waiting", stopping: "waiting", stopped: "attention", finished: "delivered" };

/** One that has ended with failures is not as good as done. */
export function OperationStatus({ state, done, outcomes: { failed = 0 } }: Pick<Operation, "state" | "done" | "outcomes">) {
  const label = operationStateLabel(state);
  if (failed === 0 || state === "running" || state === "stopping") return <Status tone={stateTones[state]}>{label}</Status>;
  return (
    <Status tone={failed === done ? "failed" : "attention"}>
      {t("{label}, {failed} of {done} failed", { label, failed: formatCount(failed), done: formatCount(done) })}
    </Status>
  );
}

const countsOf = ({ done, total }: Operation): string => t("{done} of {total}", { done: formatCount(done), total: formatCount(total) });

/** The outcomes so far as parts of the bar. */
function Bar({ operation, labelledBy }: { operation: Operation; labelledBy: string }) {
  const { done, total } = operation;
  return (
    <Progress.Root
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
