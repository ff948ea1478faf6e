import { Code, List, Text } from "@mantine/core";
import { slotGroups } from "shared/core/binding";
import type { AssistantQuestion } from "shared/core/input/assistant";
import type { VariableMap } from "shared/core/variables";
import { t } from "../../language.ts";
import { AskPanel, type Proposal } from "../../ui/assistant/assistant.tsx";
import { Dialog } from "../../ui/base/dialogs.tsx";
import { Dimmed } from "../../ui/base/page.tsx";
import { describeSource } from "../../ui/template/variable-sources.ts";
import type { SlotDraft, SlotKey } from "./draft.ts";

interface AssistantDialogProps {
  siteId: string;
  /** The event's name; null while it is empty. */
  event: string | null;
  templateId: string;
  opened: boolean;
  onClose: () => void;
  /** Gets the values by their variables. */
  onAccept: (specs: Partial<Record<SlotKey, Partial<SlotDraft>>>) => void;
}

/** Proposes where the values of a template's variables come from. */
export function AssistantDialog({ siteId, event, templateId, opened, onClose, onAccept }: AssistantDialogProps) {
  const question: AssistantQuestion | null =
    siteId === "" || event === null || templateId === "" ? null : { kind: "proposeBinding", input: { siteId, event, templateId } };
  return (
    <Dialog title={t("Ask the assistant for values")} opened={opened} onClose={onClose} size="lg">
      <AskPanel
        question={question}
        action={t("Ask for values")}
        show={({ proposal }) => proposal !== null && isBinding(proposal) && <Values proposal={proposal} />}
        accept={t("Fill the empty variables")}
        onAccept={(proposal) => isBinding(proposal) && onAccept(specsOf(proposal.variableMap))}
      >
        <Text>
          {t(
            "The assistant reads the template and the names of the event's fields, and says which field fits which variable. Variables that have a value keep it.",
          )}
        </Text>
      </AskPanel>
    </Dialog>
  );
}

type BindingProposal = Extract<Proposal, { variableMap: VariableMap }>;

const isBinding = (proposal: Proposal): proposal is BindingProposal => "variableMap" in proposal;

function Values({ proposal: { variableMap, reasons } }: { proposal: BindingProposal }) {
  if (reasons.length === 0) return <Text>{t("No field of the event fits: choose them yourself.")}</Text>;
  return (
    <List spacing="xs" aria-label={t("Proposed values")}>
      {reasons.map(({ part, variable, why }) => {
        const spec = variableMap[part]?.[variable];
        return (
          <List.Item key={`${part}.${variable}`}>
            {places[part]} {`{{${variable}}}`}: <Code>{spec === undefined ? "" : describeSource(spec)}</Code>
            <Dimmed>{why}</Dimmed>
          </List.Item>
        );
      })}
    </List>
  );
}

const places = { header: t("Header"), body: t("Body"), button_url: t("Link") };

function specsOf(map: VariableMap): Partial<Record<SlotKey, Partial<SlotDraft>>> {
  const entries = slotGroups.flatMap(({ mapKey }) =>
    Object.entries(map[mapKey] ?? {}).map(([slot, spec]): [SlotKey, Partial<SlotDraft>] => [
      `${mapKey}.${Number(slot)}`,
      spec as Partial<SlotDraft>,
    ]),
  );
  return Object.fromEntries(entries);
}
