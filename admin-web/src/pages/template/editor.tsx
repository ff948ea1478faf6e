import { Stack, TextInput, List, Text, Button, Alert, Anchor, VisuallyHidden, Box } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { templateChanges } from "shared/core/binding";
import { describeReason } from "shared/core/reason";
import { templateWarnings } from "shared/core/template/check";
import type { TemplateDefinition } from "shared/core/template/definition";
import { toDefinition } from "shared/core/template/draft";
import { cleanSlots } from "shared/core/template/message";
import { limits } from "shared/core/template/platform-limits";
import { slotNames } from "shared/core/template/slots";
import { isBlank } from "shared/core/text";
import { formatLanguage } from "../../format.ts";
import { t } from "../../language.ts";
import { mediaFile } from "../../paths.ts";
import { AssistantButton } from "../../ui/assistant/assistant-button.tsx";
import { SecondaryButton } from "../../ui/base/buttons.tsx";
import { doing } from "../../ui/base/fields.ts";
import { later, part } from "../../ui/base/later.tsx";
import { TwoColumns } from "../../ui/base/layout.tsx";
import { Section, FailureNotice, Small } from "../../ui/base/page.tsx";
import { Sentences } from "../../ui/base/sentences.tsx";
import { FormConflict } from "../../ui/form/form-version.tsx";
import { FormButtons } from "../../ui/form/input-form.tsx";
import type { Issue, Refusal } from "../../ui/form/input-issues.ts";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { fillMessage } from "../../ui/template/fill-message.ts";
import { MessageBubble, PhonePreview } from "../../ui/template/message.tsx";
import { ButtonFields } from "./button-fields.tsx";
import { CodeFields, TimeToLive } from "./code-fields.tsx";
import { type Template, type TemplateValues, fromInput, toUnchecked, fieldName } from "./draft.ts";
import { BasicFields, BodyField, ExampleFields, HeaderFields, noted } from "./fields.tsx";
import { type Editing, type TemplateForm, useEditing } from "./use-editing.ts";
import classes from "./template.module.css";

const TemplateCheck = later(async () => (await import("./check.tsx")).TemplateCheck);

interface TemplateEditorProps {
  /** The stored template; absent for a new one. */
  stored?: Template;
  initial: TemplateValues;
  /** The refusal of a submission on the page before. */
  refusal?: Refusal | undefined;
  original?: Original | undefined;
  /** Told whether there is something to save. */
  onChanged?: (isChanged: boolean) => void;
}

/** The form's name, for the page's own button, which submits what is stored. */
export const editorId = "template";

const goalOf = ({ nativeEvent }: FormEvent) =>
  ((nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null)?.value === "submit" ? "submit" : "save";

/** The template that the new one translates. */
interface Original {
  template: Template;
  /** True if the new template is another language of it: name, category and variables stay. */
  isNamesake: boolean;
  /** True to ask the assistant at once. */
  asksAtOnce: boolean;
}

const AssistantDialog = part(async () => (await import("./assistant.tsx")).AssistantDialog);

/** Edits a draft or a rejected template beside its preview. */
export function TemplateEditor({ stored, initial, refusal, original, onChanged }: TemplateEditorProps) {
  const editing = useEditing({ stored, initial, refusal });
  const { form, running, attempt } = editing;
  const definition = toDefinition(toUnchecked(form.values, "whole"));
  const isKnown = stored !== undefined && stored.platformId !== null;
  const isChanged = running !== null || editing.isUploading || form.isUnsaved();
  useEffect(() => onChanged?.(isChanged), [isChanged, onChanged]);
  return (
    <form id={editorId} onSubmit={(event) => doing(() => attempt(goalOf(event)))(event)} noValidate aria-label={t("Template")}>
      <UnsavedGuard isUnsaved={form.isUnsaved} />
      <AttemptNotice editing={editing} />
      <FormConflict form={form} />
      <TwoColumns
        beside={
          <Stack>
            <TemplatePreview definition={definition} />
            {original?.isNamesake === true && <OriginalPart template={original.template} definition={definition} />}
            <TemplateCheck form={form} isKnown={isKnown} />
          </Stack>
        }
      >
        {/* The page of a new template would not show text that is typed while it is saved. */}
        <Box component="fieldset" miw={0} m={0} p={0} bd={0} disabled={stored === undefined && running !== null}>
          <Fields form={form} isKnown={isKnown} namesake={original?.isNamesake === true ? original.template : undefined}>
            <Assistant form={form} isKnown={isKnown} original={original} />
          </Fields>
        </Box>
      </TwoColumns>
      <EditorBar editing={editing} isStored={stored !== undefined} />
    </form>
  );
}

/** Fills the fields with the assistant's proposal. WhatsApp knows a template by its name and language, so those two stay then. */
function Assistant({ form, isKnown, original }: { form: TemplateForm; isKnown: boolean; original: Original | undefined }) {
  const { values, change } = form;
  return (
    <AssistantButton
      label={original === undefined ? t("Draft with the assistant") : t("Translate with the assistant")}
      isOpen={original?.asksAtOnce === true}
    >
      {({ opened, onClose }) => (
        <AssistantDialog
          sourceId={original?.template.id}
          language={values.language}
          isLanguageFixed={isKnown}
          opened={opened}
          onClose={onClose}
          show={(definition) => <TemplatePreview definition={definition} />}
          onAccept={(template) => {
            const { name, ...proposed } = fromInput(template, values.header.file?.name ?? "");
            change({ ...proposed, language: template.language, ...(!isKnown && original?.isNamesake !== true && { name }) });
            onClose();
          }}
        />
      )}
    </AssistantButton>
  );
}

/** The original beside its translation, and the variables that bindings of the one could not fill in the other. */
function OriginalPart({ template, definition }: { template: Template; definition: TemplateDefinition }) {
  const differences = templateChanges(slotNames(template), {}, definition);
  return (
    <Stack gap="sm">
      {differences.length > 0 && (
        <Alert color="yellow" title={t("Variables differ from the original")} role="status">
          {t("{differences}. Bindings of the original cannot send this template.", {
            differences: differences.map((difference) => describeReason(difference, t)).join("; "),
          })}
        </Alert>
      )}
      <TemplatePreview definition={template} title={t("Original, {language}", { language: formatLanguage(template.language) })} />
    </Stack>
  );
}

interface FieldsProps {
  form: TemplateForm;
  isKnown: boolean;
  namesake: Template | undefined;
  children: ReactNode;
}

const Fields = ({ form, isKnown, namesake, children }: FieldsProps) => (
  <Stack gap="xl" pb="xl">
    <Section title={t("Basics")} actions={children}>
      <BasicFields form={form} isKnown={isKnown} namesake={namesake} />
    </Section>
    {form.values.category === "AUTHENTICATION" ? (
      <CodeFields form={form} />
    ) : (
      <>
        <Section title={t("Message")}>
          <HeaderFields form={form} />
          <BodyField form={form} />
          <TextInput label={t("Footer")} dir="auto" {...noted(form, "footer", limits.footer, t("One line without variables or emoji."))} />
        </Section>
        <Section
          title={t("Buttons")}
          lead={t("Up to {buttons}, with at most {urlButtons} links and {phoneButtons} phone number. Keep quick replies together.", {
            buttons: limits.buttons,
            urlButtons: limits.urlButtons,
            phoneButtons: limits.phoneButtons,
          })}
        >
          <ButtonFields form={form} />
        </Section>
        <Section
          title={t("Examples")}
          lead={t("An example for each variable. WhatsApp reviews the message with them; the preview shows them.")}
        >
          <ExampleFields form={form} />
        </Section>
      </>
    )}
    <Section title={t("Delivery")}>
      <TimeToLive form={form} />
    </Section>
  </Stack>
);

/** The message on a phone, filled with the examples, and warnings. */
export function TemplatePreview({ definition, title = t("Preview") }: { definition: TemplateDefinition; title?: string }) {
  const { header, examples } = definition;
  const message = fillMessage(definition, cleanSlots(definition, examples), () => t("no example yet"));
  const file = header !== null && "file" in header ? header.file : undefined;
  const shown =
    file === undefined || message.header === null ? message : { ...message, header: { ...message.header, link: mediaFile(file.id) } };
  const isEmpty = header === null && isBlank(definition.body) && definition.footer === null && definition.buttons.length === 0;
  const warnings = templateWarnings(definition);
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <PhonePreview title={title}>{isEmpty ? <Text>{t("Your message appears here.")}</Text> : <MessageBubble {...shown} />}</PhonePreview>
      <Small ta="center">{t("Variables show their examples.")}</Small>
      {warnings.length > 0 && <Sentences size="xs" c="dimmed" of={warnings.map((warning) => describeReason(warning, t))} />}
    </Stack>
  );
}

const EditorBar = ({ editing: { form, attempt, running, isUploading }, isStored }: { editing: Editing; isStored: boolean }) => (
  <FormButtons form={form} isNew={!isStored}>
    <SecondaryButton type="submit" loading={running === "save"} disabled={running === "submit" || isUploading}>
      {isStored ? t("Save changes") : t("Save draft")}
    </SecondaryButton>
    <Button loading={running === "submit"} disabled={running === "save" || isUploading} onClick={() => attempt("submit")}>
      {t("Save and submit")}
    </Button>
  </FormButtons>
);

/** The reason why the last attempt failed. It takes the focus, and its links lead to the fields. */
function AttemptNotice({ editing }: { editing: Editing }) {
  const place = useRef<HTMLDivElement>(null);
  const { blocking, form } = editing;
  useEffect(() => {
    if (blocking.length > 0 || form.refused !== null) place.current?.focus();
  }, [blocking, form.refused]);
  return (
    <div ref={place} tabIndex={-1} className={classes["notice"]}>
      <Reason editing={editing} />
    </div>
  );
}

const goalTitles = { save: t("Fix these to save"), submit: t("Fix these to submit") };
const refusalTitles = { save: t("The template was not saved"), submit: t("Saved, but not submitted") };

function Reason({ editing: { blocking, goal, stage, form } }: { editing: Editing }) {
  const { refused } = form;
  if (blocking.length > 0) return <FaultList title={goalTitles[goal]} issues={blocking} left={form.issues} />;
  if (refused === null) return null;
  if (refused.issues.length > 0) return <FaultList title={refusalTitles[stage]} issues={refused.issues} left={form.refusedIssues} />;
  return <FailureNotice title={refusalTitles[stage]} error={refused} />;
}

/** The faults as links to their fields. `left`: those that are still there; the list keeps its height while they are fixed, so that the page does not move. */
const FaultList = ({ title, issues, left }: { title: string; issues: readonly Issue[]; left: readonly Issue[] }) => (
  <Alert color="red" title={title} role="alert">
    <List spacing={2}>
      {issues.map(({ path, message }) => {
        const field = path.join(".");
        const isLeft = left.some((issue) => issue.path.join(".") === field && issue.message === message);
        return (
          <List.Item key={field + message}>
            <Box component="span" {...(!isLeft && { c: "dimmed", td: "line-through" })}>
              {!isLeft && <VisuallyHidden>{t("Fixed: ")}</VisuallyHidden>}
              <Anchor component="button" type="button" c="inherit" onClick={() => focusField(field)}>
                {fieldName(field)}
              </Anchor>{" "}
              {message}
            </Box>
          </List.Item>
        );
      })}
    </List>
  </Alert>
);

/** Focuses a field. A header's file has one field, by its address or uploaded. */
const focusField = (field: string) =>
  document.querySelector<HTMLElement>(`[data-path="${field.replace("header.fileId", "header.url")}"]`)?.focus();
