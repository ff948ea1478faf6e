import { Select, Stack, Textarea } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { AssistantQuestion } from "shared/core/input/assistant";
import type { TemplateDefinition } from "shared/core/template/definition";
import { toDefinition, type UncheckedTemplate } from "shared/core/template/draft";
import { t } from "../../language.ts";
import { AskPanel, type Proposal } from "../../ui/assistant/assistant.tsx";
import { Dialog } from "../../ui/base/dialogs.tsx";
import { bound } from "../../ui/base/fields.ts";
import { Dimmed } from "../../ui/base/page.tsx";
import { languageChoices } from "./fields.tsx";

interface AssistantDialogProps {
  /** The template to translate; without one a new text is drafted. */
  sourceId: string | undefined;
  language: string;
  isLanguageFixed: boolean;
  opened: boolean;
  onClose: () => void;
  onAccept: (template: UncheckedTemplate) => void;
  show: (definition: TemplateDefinition) => ReactNode;
}

/** Drafts or translates a template. An accepted proposal fills the editor. */
export function AssistantDialog({ opened, onClose, ...rest }: AssistantDialogProps) {
  const title = rest.sourceId === undefined ? t("Draft with the assistant") : t("Translate with the assistant");
  return (
    <Dialog title={title} opened={opened} onClose={onClose} size="lg">
      <Asking {...rest} />
    </Dialog>
  );
}

function Asking({ sourceId, language: preset, isLanguageFixed, onAccept, show }: Omit<AssistantDialogProps, "opened" | "onClose">) {
  const [request, setRequest] = useState("");
  const [language, setLanguage] = useState(preset);
  return (
    <AskPanel
      question={questionOf(sourceId, request, language)}
      action={sourceId === undefined ? t("Draft template") : t("Translate template")}
      show={(answer) => show(definitionOf(answer))}
      accept={t("Put into the editor")}
      onAccept={(proposal) => isTemplate(proposal) && onAccept(proposal)}
    >
      <Stack gap="sm">
        {sourceId === undefined && (
          <Textarea
            label={t("What should the message say?")}
            description={t("In your own words. Links and phone numbers are taken only from here.")}
            placeholder={t("Tell customers that their order has left, with the number and a link to https://shop.example/track/")}
            minRows={3}
            maxRows={8}
            maxLength={2000}
            {...bound(request, setRequest)}
          />
        )}
        <Select
          label={t("Language")}
          data={languageChoices}
          placeholder={t("Choose a language")}
          searchable
          allowDeselect={false}
          disabled={isLanguageFixed}
          value={language || null}
          onChange={(code) => setLanguage(code ?? "")}
        />
        <Dimmed>
          {t("The text replaces what is in the editor. You can change it there, and nothing is saved or submitted until you do so.")}
        </Dimmed>
      </Stack>
    </AskPanel>
  );
}

function questionOf(sourceId: string | undefined, request: string, language: string): AssistantQuestion | null {
  if (language === "") return null;
  if (sourceId !== undefined) return { kind: "translateTemplate", input: { templateId: sourceId, language } };
  return request.trim() === "" ? null : { kind: "draftTemplate", input: { request, language } };
}

const isTemplate = (proposal: Proposal): proposal is Extract<Proposal, { body: string }> => "body" in proposal;

/** The proposal, or the part of it that has come, as far as it can be shown. */
function definitionOf({ partial, proposal }: { partial: unknown; proposal: Proposal | null }): TemplateDefinition {
  if (proposal !== null && isTemplate(proposal)) return toDefinition(proposal);
  const { header, body, footer, buttons } = (partial ?? {}) as Record<string, unknown>;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const labels = (Array.isArray(buttons) ? buttons : []).map((button: unknown) =>
    text(typeof button === "object" && button !== null && "text" in button ? button.text : button),
  );
  return {
    parameterFormat: "POSITIONAL",
    header: text(header) === "" ? null : { format: "TEXT", text: text(header) },
    body: text(body),
    footer: text(footer) || null,
    buttons: labels.filter((label) => label !== "").map((label) => ({ type: "QUICK_REPLY", text: label })),
    examples: { header: [], body: [], buttonUrl: [] },
  };
}
