import { Group } from "@mantine/core";
import { useState } from "react";
import { slotGroups } from "shared/core/binding";
import { parseEventName } from "shared/core/event";
import type { ProposedField } from "shared/core/propose/features";
import type { Proposal } from "shared/core/propose/propose";
import type { ProposalReason, ProposedHelper } from "shared/core/propose/score";
import { t, translated } from "../../language.ts";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { tableOf } from "../../ui/base/labels.ts";
import { Dimmed } from "../../ui/base/page.tsx";
import { emptySlot, type SlotDraft, type SlotKey } from "./draft.ts";
import labels from "./labels.json";
import type { BindingForm } from "./use-binding-form.ts";

/** The proposals for the template's variables. */
export function useProposals(form: BindingForm, fields: readonly ProposedField[]) {
  const [proposed, setProposed] = useState<ReadonlyMap<SlotKey, Proposal>>(new Map());
  const [said, say] = useState<{ of: string; outcome: string } | null>(null);
  // An outcome for another template or event no longer counts.
  const of = `${form.values.templateId} ${form.values.event}`;

  const fill = async (): Promise<void> => {
    const { template, values } = form;
    if (template === undefined) return;
    const { proposeMapping } = await import("shared/core/propose/propose").catch(() => ({ proposeMapping: null }));
    if (proposeMapping === null)
      return say({ of, outcome: t("The proposals could not be loaded. Check that you are online, and try again.") });
    const all = proposeMapping(parseEventName(values.event) ?? "", fields, template);
    const open = all.filter((one) => isEmptySlot(values.slots[keyOf(one)] ?? emptySlot));
    const found = open.filter(({ path, expr }) => path !== null || expr !== null);
    for (const one of found) form.changeSlot(keyOf(one), valueOf(one));
    setProposed(new Map(found.map((one) => [keyOf(one), one])));
    say({ of, outcome: describeOutcome(open.length, found.length) });
  };

  return {
    /** The reason why this path was proposed; undefined if the field has another one. */
    reasonOf: (key: SlotKey, value: SlotDraft) => {
      const one = proposed.get(key);
      const isThere = one !== undefined && Object.entries(valueOf(one)).every(([name, given]) => value[name as keyof SlotDraft] === given);
      return isThere ? describeReasons(one.reasons) : undefined;
    },
    /** Fills the variables that are still empty. */
    fill,
    /** The result in a sentence. */
    outcome: said?.of === of ? said.outcome : null,
  };
}

const valueOf = ({ path, expr }: Proposal): Partial<SlotDraft> =>
  expr === null ? { source: "field", path: path ?? "" } : { source: "expression", expr };

export const isEmptySlot = ({ source, path }: { source: string; path: string }): boolean => source === "field" && path === "";

const keyOf = ({ part, slot }: Proposal): SlotKey => `${slotGroups.find((group) => group.part === part)?.mapKey ?? "body"}.${slot}`;

function describeOutcome(open: number, found: number): string {
  if (open === 0) return t("Every variable has a value already.");
  if (found === 0) return t("No field of the event fits: choose them yourself.");
  const rest = open - found;
  return t("{found} {found, plural, one {value} other {values}} proposed{value}. Check them in the preview.", {
    found,
    value: rest === 0 ? "" : t(", {rest} left to you", { rest }),
  });
}

function describeReasons(reasons: readonly ProposalReason[]): string {
  const clauses = reasons.slice(0, 2).map(describe);
  return t("Proposed: {clauses}.", { clauses: clauses.join(t(", and ")) });
}

function describe(reason: ProposalReason): string {
  if (reason.code === "helper") return helperWords[reason.expr];
  if (reason.code === "same_meaning" && reason.words.length > 0) return describeWords(reason.words.slice(0, 2));
  return translated(labels.reasons[reason.code], "text" in reason ? { text: reason.text } : {});
}

const helperWords: Record<ProposedHelper, string> = tableOf(labels.helpers);

const describeWords = (words: readonly string[]): string =>
  t("{words} {count, plural, one {appears} other {appear}} in both", {
    words: words.map((word) => `“${word}”`).join(t(" and ")),
    count: words.length,
  });

/** Asks for proposals, once fields are known. `isUseful`: undefined until it is known whether there are any. */
export function ProposeButton({ proposals, isUseful }: { proposals: ReturnType<typeof useProposals>; isUseful: boolean | undefined }) {
  const [isBusy, setIsBusy] = useState(false);
  return (
    <Group gap="sm" align="center">
      <SecondaryButton
        size="xs"
        disabled={isUseful !== true}
        loading={isBusy}
        onClick={() => {
          setIsBusy(true);
          void proposals.fill().finally(() => setIsBusy(false));
        }}
      >
        {t("Propose values")}
      </SecondaryButton>
      <Dimmed role="status">
        {proposals.outcome ??
          (isUseful === true
            ? t("From the fields of earlier events")
            : isUseful === false && t("Available once an event of this name arrives"))}
      </Dimmed>
    </Group>
  );
}
