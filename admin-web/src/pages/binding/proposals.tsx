import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { slotGroups } from "shared/core/binding";
import { parseEventName } from "shared/core/event";
import type { ProposedField } from "shared/core/propose/features";
import type { Proposal } from "shared/core/propose/propose";
import type { ProposalReason } from "shared/core/propose/score";
import { emptySlot, type SlotKey } from "./draft.ts";
import type { BindingForm } from "./use-binding-form.ts";

/** What was proposed for the template's variables, by the variable. */
export interface Proposals {
  /** Why this path was proposed; undefined where another stands there. */
  reasonOf: (key: SlotKey, path: string) => string | undefined;
  /** Fills the variables that are still empty. */
  fill: () => Promise<void>;
  /** What came of it, in a sentence. */
  outcome: string | null;
}

export function useProposals(form: BindingForm, fields: readonly ProposedField[]): Proposals {
  const [proposed, setProposed] = useState<ReadonlyMap<SlotKey, Proposal>>(new Map());
  const [said, say] = useState<{ of: string; outcome: string } | null>(null);
  // What was said of another template or event counts no longer.
  const of = `${form.values.templateId} ${form.values.event}`;

  const fill = async (): Promise<void> => {
    const { template, values } = form;
    if (template === undefined) return;
    const { proposeMapping } = await import("shared/core/propose/propose").catch(() => ({ proposeMapping: null }));
    if (proposeMapping === null)
      return say({ of, outcome: "The proposals could not be loaded. Check that you are online, and try again." });
    const all = proposeMapping(parseEventName(values.event) ?? "", fields, template);
    const open = all.filter((one) => isEmpty(values.slots[keyOf(one)] ?? emptySlot));
    const found = open.filter(({ path }) => path !== null);
    for (const one of found) form.changeSlot(keyOf(one), { source: "field", path: one.path ?? "" });
    setProposed(new Map(found.map((one) => [keyOf(one), one])));
    say({ of, outcome: describeOutcome(open.length, found.length) });
  };

  return {
    reasonOf: (key, path) => {
      const one = proposed.get(key);
      return one === undefined || one.path !== path ? undefined : describeReasons(one.reasons);
    },
    fill,
    outcome: said?.of === of ? said.outcome : null,
  };
}

const isEmpty = ({ source, path }: { source: string; path: string }): boolean => source === "field" && path === "";

const keyOf = ({ part, slot }: Proposal): SlotKey => `${slotGroups.find((group) => group.part === part)?.mapKey ?? "body"}.${slot}`;

function describeOutcome(open: number, found: number): string {
  if (open === 0) return "Every variable has a value already.";
  if (found === 0) return "No field of the event fits: choose them yourself.";
  const rest = open - found;
  return `${found} ${found === 1 ? "value" : "values"} proposed${rest === 0 ? "" : `, ${rest} left to you`}. Check them in the preview.`;
}

function describeReasons(reasons: readonly ProposalReason[]): string {
  const clauses = reasons.slice(0, 2).map(describe);
  return `Proposed: ${clauses.join(", and ")}.`;
}

function describe(reason: ProposalReason): string {
  switch (reason.code) {
    case "same_value":
      return "the template's example is this value";
    case "same_meaning":
      return reason.words.length === 0 ? "the text and the field are about the same" : describeWords(reason.words.slice(0, 2));
    case "same_form":
      return "the example has the same form";
    case "same_beginning":
      return `the example begins with “${reason.text}” too`;
    case "reader":
      return "the text addresses its reader there";
    case "in_link":
      return "a link of the event holds this value";
    case "closest":
      return "it comes closest of all fields";
  }
}

const describeWords = (words: readonly string[]): string =>
  `${words.map((word) => `“${word}”`).join(" and ")} ${words.length === 1 ? "stands" : "stand"} in both`;

/** Asks for proposals, once fields are known. */
export function ProposeButton({ proposals, isUseful }: { proposals: Proposals; isUseful: boolean }) {
  const [isBusy, setIsBusy] = useState(false);
  return (
    <Group gap="sm" align="center">
      <Button
        variant="default"
        size="xs"
        disabled={!isUseful}
        loading={isBusy}
        onClick={() => {
          setIsBusy(true);
          void proposals.fill().finally(() => setIsBusy(false));
        }}
      >
        Propose values
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {proposals.outcome ?? (isUseful ? "From the fields of earlier events" : "Possible once an event of this name has come")}
      </Text>
    </Group>
  );
}
