import { Button, Card, CloseButton, Progress, Text, VisuallyHidden } from "@mantine/core";
import { useId } from "react";
import type { Tone } from "shared/core/message";
import type { OperationKind, OperationState, Outcome } from "shared/core/operation";
import { formatCount, formatParts, formatPercent } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { TextLink } from "../base/buttons.tsx";
import { Status, toneColor } from "../base/facts.tsx";
import labels from "./operation-labels.json";
import { type ListedOperation, operationPage, restPage, useOperationTitle } from "./operations.tsx";
import allTones from "./tones.json";

/** `onStop`: absent for those who may not stop it; `onDismiss` takes it away once it is over. */
type OperationProgressProps = { operation: ListedOperation } & Record<"onStop" | "onDismiss", (() => void) | undefined>;

const [tones, standingTones] = [allTones.outcomes as Record<Outcome, Tone>, allTones.standings as Record<Standing, Tone>];

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

export const operationStateLabel = (state: Standing): string => translated(labels.states[state]);

/** A state, and for what has finished, how: with failures, with nothing else, or without anything done. */
type Standing = OperationState | "partly" | "failed" | "nothing";

function standingOf({ state, done, outcomes: { failed, skipped, cancelled = 0 }, kind }: ListedOperation): Standing {
  if (state !== "finished") return state;
  const tried = done - skipped - (kind === "cancel" ? 0 : cancelled);
  if (tried <= 0) return "nothing";
  return failed === 0 ? state : failed < tried ? "partly" : "failed";
}

/** Where it stands: a dot, and a word that says the same. */
export function OperationStatus({ operation, told }: { operation: ListedOperation; told?: string }) {
  const standing = standingOf(operation);
  return <Status tone={standingTones[standing]}>{told ?? operationStateLabel(standing)}</Status>;
}

/** Of a backfill and a replay the parts are events, some of which have no message, and some several. */
const showLabel = ({ kind, done }: ListedOperation): string =>
  translated(
    kind === "replay_deliveries" ? labels.show.deliveries : labels.show[kind === "backfill" || kind === "replay" ? "some" : "messages"],
    { done },
  );

const line = { display: "flex", px: 12, py: 4, mih: 34, lh: "24px", fz: 13 } as const;
const row = {
  flexDirection: "row",
  alignItems: "center",
  gap: "0 12px",
  whiteSpace: "nowrap",
  fontVariantNumeric: "tabular-nums",
} as const;

/** In one line: how far an operation is and a button that stops it, and in the end what came of it, with links to exactly its messages. */
export function OperationProgress({ operation, onStop, onDismiss }: OperationProgressProps) {
  const { kind, state, done, total, hasMessages } = operation;
  const [id, title] = [useId(), useOperationTitle(operation)];
  const link = (label: string, { to, search = {} }: ReturnType<typeof operationPage>) => (
    <TextLink underline="hover" to={to} search={search as never} onClick={onDismiss}>
      {label}
    </TextLink>
  );
  const isOver = state === "stopped" || state === "finished";
  return (
    <Card component="article" {...line} style={{ ...row, flexWrap: isOver ? "wrap" : "nowrap" }} aria-label={title} tabIndex={-1}>
      {isOver ? (
        <>
          <OperationStatus operation={operation} told={resultOf(operation)} />
          {(hasMessages || kind === "replay_deliveries") && done > 0 && link(showLabel(operation), operationPage(operation))}
          {state === "stopped" && done < total && link(t("Show what is left"), restPage(operation))}
        </>
      ) : (
        <>
          <Text size="md" id={id} fz={13} fw={600} component="h3" truncate title={title}>
            {title}
          </Text>
          <Bar operation={operation} labelledBy={id} />
          <span>
            {formatParts([countsOf(operation), ...(state === "stopping" ? [operationStateLabel(state)] : []), ...failedWords(operation)])}
          </span>
        </>
      )}
      {state === "running" && onStop !== undefined && (
        <Button size="compact-xs" variant="default" flex="none" onClick={onStop} aria-describedby={id}>
          {t("Stop")}
        </Button>
      )}
      {isOver && <CloseButton size="sm" ms="auto" onClick={onDismiss} aria-label={t("Dismiss")} />}
      <VisuallyHidden role="status">{announcement(operation, title)}</VisuallyHidden>
    </Card>
  );
}

const failedWords = ({ outcomes: { failed } }: ListedOperation): string[] =>
  failed > 0 ? [t("{failed} failed", { failed: formatCount(failed) })] : [];

/** What came of it in the end, such as `75 of 115 messages resent, 3 failed`. */
function resultOf(operation: ListedOperation): string {
  const { kind, done, total, outcomes } = operation;
  const { failed, skipped, cancelled = 0 } = outcomes;
  const standing = standingOf(operation);
  const count = done - skipped - (kind === "cancel" ? failed : cancelled) - (kind === "send_now" ? failed : 0);
  return formatParts([
    // The counts say that it has finished, and that some have failed.
    ...(standing === "finished" || standing === "partly" ? [] : [operationStateLabel(standing)]),
    translated(labels.results[kind], { count: formatCount(count), total }),
    ...failedWords(operation),
    ...(skipped > 0 ? [outcomeWords(kind, ["skipped", skipped])] : []),
  ]);
}

/** Those that there are, in the order of the bar. */
export const outcomesOf = ({ outcomes }: Pick<ListedOperation, "outcomes">): [Outcome, number][] =>
  (Object.keys(tones) as Outcome[]).map((name): [Outcome, number] => [name, outcomes[name] ?? 0]).filter(([, count]) => count > 0);

/** How many of all are done. */
export const countsOf = ({ done, total }: ListedOperation): string =>
  t("{done} of {total}", { done: formatCount(done), total: formatCount(total) });

/** The outcomes so far as parts of the bar. */
function Bar({ operation, labelledBy }: { operation: ListedOperation; labelledBy: string }) {
  const { done, total } = operation;
  return (
    <Progress.Root
      size={8}
      radius={0}
      bdrs={4}
      bd="1px solid var(--mantine-color-default-border)"
      bg="var(--mantine-color-default-hover)"
      style={{ flex: "1 0 5rem", gap: 1 }}
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
function announcement(operation: ListedOperation, title: string): string {
  const { done, total, state } = operation;
  if (state === "stopping") return t("{title}: stopping", { title });
  if (state !== "running") return formatParts([title, resultOf(operation)]);
  const quarter = total === 0 ? 0 : Math.floor((4 * done) / total) / 4;
  return quarter === 0 ? t("{title}: running", { title }) : t("{title}: {share} done", { title, share: formatPercent(quarter) });
}
