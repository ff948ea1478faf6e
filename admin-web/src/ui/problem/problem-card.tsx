import { Alert, Card, Group, Menu, Stack, Text, TextInput } from "@mantine/core";
import { defaultParseSearch, Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { Tone } from "shared/core/message";
import type { ProblemAction } from "shared/core/problem/actions";
import type { ProblemState } from "shared/core/problem/problem";
import { formatClock, formatMoment } from "../../format.ts";
import { t, translated } from "../../language.ts";
import type { OrEarlier, Outputs } from "../../trpc.ts";
import { SmallButton } from "../base/buttons.tsx";
import { ConfirmForm, DialogButton } from "../base/dialogs.tsx";
import { Moment, Status } from "../base/facts.tsx";
import { bound } from "../base/fields.ts";
import { part } from "../base/later.tsx";
import { MoreActions } from "../base/more-actions.tsx";
import { readableMessage, rich } from "../base/page.tsx";
import { useMay } from "../base/role.ts";
import { toLocalMinute } from "../list/search-params.ts";
import { stateLabel } from "./problem-kinds.ts";
import labels from "./problem-labels.json";
import type { NoteInput } from "./problem-note.tsx";
import classes from "./problem-card.module.css";

/** Loaded when somebody writes a note: forms that two people may save are no part of a first look. */
const NoteForm = part(async () => (await import("./problem-note.tsx")).NoteForm);

/** An item of `problems.list`, with its sentences in the reader's language. */
export type Problem = Pick<
  OrEarlier<Outputs["problems"]["list"]["items"][number], "beganAt" | "reopenedAt">,
  "id" | "title" | "advice" | "counted" | "beganAt" | "reopenedAt" | "lastAt" | "state" | "snoozedUntil" | "acknowledgedBy" | "note"
> & {
  /** Absent of what is no problem of the server's. */
  kind?: Outputs["problems"]["list"]["items"][number]["kind"];
  /** The first is the card's button; the others are in its menu. */
  actions: readonly ProblemAction[];
};

/** What somebody may do with a problem. Each rejects when the server refuses: the card then says why. */
export interface ProblemChanges {
  acknowledge: () => Promise<unknown>;
  /** `until`: ISO 8601. */
  snooze: (until: string) => Promise<unknown>;
  note: (input: NoteInput) => Promise<unknown>;
  resolve: () => Promise<unknown>;
}

interface ProblemCardProps {
  problem: Problem;
  /** The level of its heading; 3 unless said. */
  level?: 2 | 3;
  /** The name of its site; absent where it has none, or where all are of one site. */
  site?: string | undefined;
  /** Absent for viewers, who get no menu. */
  changes?: ProblemChanges | undefined;
  /** Does what is no link: `resend` and `enable`. Absent for viewers, who get only links. */
  onAct?: ((action: ProblemAction) => void) | undefined;
}

const tones: Record<ProblemState, Tone> = { open: "attention", acknowledged: "waiting", snoozed: "waiting", resolved: "delivered" };

/** What is to be done, and by whom where the reader may not. */
export const useAdvised = (advice: string): string =>
  useMay("operator") || advice === "" ? advice : `${advice} ${t("This is up to operators and owners.")}`;

/** A problem in one row: what is wrong, how often, since when, and what to do. It asks the server nothing. */
export function ProblemCard({ problem, level = 3, site, changes, onAct }: ProblemCardProps) {
  const { title, counted, lastAt, state, note, beganAt = lastAt, reopenedAt = null } = problem;
  const advice = useAdvised(problem.advice);
  const id = useId();
  const [failure, setFailure] = useState<string | null>(null);
  // What is resent can be looked at too, and is by those who may not resend.
  const lists = problem.actions.flatMap((action) => (action.kind === "resend" ? { ...action, kind: "open" as const } : []));
  const isOver = state === "resolved";
  const helps = ({ kind }: ProblemAction) => !(isOver && (kind === "enable" || kind === "connect"));
  const actions = [...problem.actions.filter((action) => helps(action) && (isLink(action) || onAct !== undefined)), ...lists];
  const run = (work: () => Promise<unknown>) => {
    setFailure(null);
    work().catch((error: unknown) => setFailure(readableMessage(error instanceof Error ? error.message : String(error))));
  };
  return (
    <Card component="article" padding={0} className={classes["card"] ?? ""} aria-labelledby={id} data-state={state}>
      <Stack gap={4} miw={0} style={{ overflowWrap: "anywhere" }}>
        <Text component={level === 2 ? "h2" : "h3"} id={id} fz={14} lh="20px" fw={isOver ? 400 : 600}>
          {title}
        </Text>
        {advice !== "" && !isOver && (
          <Text fz={13} lh="20px">
            {advice}
          </Text>
        )}
        <Group component="ul" gap="0 16px" fz={13} lh="20px" c="dimmed">
          <li>
            <Status tone={tones[state]}>{stateOf(problem)}</Status>
          </li>
          {site !== undefined && <li>{site}</li>}
          {counted !== null && <li>{counted}</li>}
          <li>{rich(t("Began: <0/>"), <Moment at={beganAt} />)}</li>
          {reopenedAt !== null && !isOver && <li>{rich(t("Resolved, and back since: <0/>"), <Moment at={reopenedAt} />)}</li>}
          {lastAt > (reopenedAt ?? beganAt) && <li>{rich(t("Last: <0/>"), <Moment at={lastAt} />)}</li>}
        </Group>
        {note !== null && note !== "" && (
          <Text fz={13} lh="20px" className={classes["note"] ?? ""}>
            {note}
          </Text>
        )}
        {failure !== null && (
          <Alert color="red" role="alert" p="xs">
            {failure}
          </Alert>
        )}
      </Stack>
      <Group gap={8} align="flex-start" wrap="nowrap" className={classes["actions"] ?? ""}>
        {actions[0] !== undefined && <SmallButton h={30} aria-describedby={id} {...doing({ problem, action: actions[0], onAct })} />}
        {changes !== undefined && <ProblemMenu {...{ problem, changes, run, onAct }} more={actions.slice(1)} />}
      </Group>
    </Card>
  );
}

function stateOf({ state, snoozedUntil, acknowledgedBy: name }: Problem): string {
  if (state === "acknowledged" && name !== null) return t("Acknowledged by {name}", { name });
  return state === "snoozed" && snoozedUntil !== null ? t("Snoozed until {time}", { time: formatMoment(snoozedUntil) }) : stateLabel(state);
}

const isLink = ({ kind }: ProblemAction): boolean => kind === "open" || kind === "connect";

function actionLabel({ kind, count, path }: ProblemAction, problem: Problem["kind"]): string {
  switch (kind) {
    case "resend":
      return count === undefined ? t("Resend…") : t("{count, plural, one {Resend # message…} other {Resend # messages…}}", { count });
    case "enable":
      return problem === "site_held" ? t("Resume sending") : problem === "site_disabled" ? t("Accept events") : t("Switch on");
    case "connect":
      return t("Check connection");
    case "open":
      return openLabel(path, count);
  }
}

/** What a link opens: a list with its count, or one object. */
function openLabel(path: string, count = 0): string {
  const [place = ""] = path.slice(1).split(/[/?]/u, 1);
  if (place === "bindings" && path.includes("?")) return t("Show bindings");
  const [alone = "", counted = alone] = opens[place] ?? [];
  return alone === "" ? t("Show") : translated(count === 0 ? alone : counted, { count });
}

/** By the page: without a number, then with one. */
const opens: Partial<Record<string, string[]>> = labels.opens;

/** Where an action leads, for a link of the router. */
function linkOf({ kind, path, filter }: ProblemAction) {
  const [to = "/", query = ""] = path.split("?", 2);
  const tab = kind === "connect" && to.startsWith("/sites/") ? { tab: "connect" } : {};
  return { to, search: { ...defaultParseSearch(query), ...filter, ...tab } as never };
}

/** The props of a button, or an item of a menu, that does the action. */
const doing = ({ problem, action, onAct }: { action: ProblemAction } & Pick<ProblemCardProps, "problem" | "onAct">) => ({
  children: actionLabel(action, problem.kind),
  ...(isLink(action) ? { renderRoot: (props: object) => <Link {...linkOf(action)} {...props} /> } : { onClick: () => onAct?.(action) }),
});

interface ProblemMenuProps {
  problem: Problem;
  changes: ProblemChanges;
  run: (work: () => Promise<unknown>) => void;
  onAct: ProblemCardProps["onAct"];
  more: readonly ProblemAction[];
}

function ProblemMenu({ problem, changes, run, onAct, more }: ProblemMenuProps) {
  const { title, state, note, counted, actions } = problem;
  const isOver = state === "resolved";
  // What is a state, such as an endpoint that is off, ends by itself once that is mended, and would be back at once.
  const isState = counted === null || actions.some(({ kind }) => kind === "enable");
  return (
    <MoreActions label={t("More for: {title}", { title })}>
      {more.map((action, index) => (
        <Menu.Item key={index} {...doing({ problem, action, onAct })} />
      ))}
      {more.length > 0 && <Menu.Divider />}
      {!isOver && state !== "acknowledged" && <Menu.Item onClick={() => run(changes.acknowledge)}>{t("Acknowledge")}</Menu.Item>}
      <DialogButton label={note === null || note === "" ? t("Add note…") : t("Edit note…")} title={t("Note")}>
        {(close) => <NoteForm problem={problem} onClose={close} onSave={changes.note} />}
      </DialogButton>
      {!isOver && !isState && <Menu.Item onClick={() => run(changes.resolve)}>{t("Resolve")}</Menu.Item>}
      {!isOver && (
        <>
          <Menu.Divider />
          <Menu.Label>{t("Snooze")}</Menu.Label>
          {snoozes.map(({ label, until }, index) => (
            <Menu.Item key={index} onClick={() => run(() => changes.snooze(until(new Date()).toISOString()))}>
              {label()}
            </Menu.Item>
          ))}
          <DialogButton label={t("Until a time…")} title={t("Snooze until")}>
            {(close) => <TimeForm problem={problem} onClose={close} onSave={changes.snooze} />}
          </DialogButton>
        </>
      )}
    </MoreActions>
  );
}

/** The usual ends of a snooze, in the reader's zone. */
const snoozes: { label: () => string; until: (now: Date) => Date }[] = [
  { label: () => t("For 1 hour"), until: (now) => new Date(now.getTime() + 3_600_000) },
  { label: () => t("Until tomorrow, {time}", { time: formatClock(9) }), until: (now) => dayAt(now, 1, 9) },
  { label: () => t("For a week"), until: (now) => dayAt(now, 7, now.getHours(), now.getMinutes()) },
];

const dayAt = (now: Date, days: number, hour: number, minute = 0): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour, minute);

function TimeForm({ problem, onClose, onSave }: { problem: Problem; onClose: () => void; onSave: (time: string) => Promise<unknown> }) {
  const [time, setTime] = useState(() => toLocalMinute(dayAt(new Date(), 1, 9).getTime()));
  const at = Date.parse(time);
  const [opened] = useState(Date.now);
  return (
    <ConfirmForm action={t("Snooze")} isMild isAllowed={at > opened} onClose={onClose} onConfirm={() => onSave(new Date(at).toISOString())}>
      <Stack gap="sm">
        <Text>{problem.title}</Text>
        <Group>
          <TextInput
            type="datetime-local"
            label={t("Until")}
            required
            min={toLocalMinute(opened)}
            error={at <= opened && t("Choose a time that is still to come.")}
            {...bound(time, setTime)}
          />
        </Group>
      </Stack>
    </ConfirmForm>
  );
}
