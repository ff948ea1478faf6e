import { Stack, TextInput, List, Text, Button, Alert, Anchor, VisuallyHidden } from "@mantine/core";
import { type FormEvent, useRef, type ReactNode, useEffect } from "react";
import { describeReason } from "shared/core/reason";
import { templateWarnings } from "shared/core/template/check";
import { type TemplateDefinition } from "shared/core/template/definition";
import { toDefinition } from "shared/core/template/draft";
import { cleanSlots } from "shared/core/template/message";
import { limits } from "shared/core/template/platform-limits";
import { mediaFile } from "../../paths.ts";
import { fillMessage } from "../../ui/fill-message.ts";
import { FormStatus, type Issue, type Refusal, UnsavedGuard } from "../../ui/input-form.tsx";
import { MessageBubble, PhonePreview } from "../../ui/message.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { ButtonFields } from "./button-fields.tsx";
import { type Template, type TemplateValues, toUnchecked, fieldName } from "./draft.ts";
import { BasicFields, BodyField, ExampleFields, FieldNote, HeaderFields } from "./fields.tsx";
import { type Editing, type TemplateForm, useEditing } from "./use-editing.ts";
import classes from "./template.module.css";

interface TemplateEditorProps {
  /** Absent while it is new. */
  stored?: Template;
  initial: TemplateValues;
  /** Of a submission on the page before. */
  refusal?: Refusal | undefined;
}

/** Edits a draft or a rejected template beside its preview. */
export function TemplateEditor({ stored, initial, refusal }: TemplateEditorProps) {
  const editing = useEditing({ stored, initial, refusal });
  const { form, running, attempt } = editing;
  const definition = toDefinition(toUnchecked(form.values, "whole"));
  const save = (event: FormEvent) => {
    event.preventDefault();
    attempt("save");
  };
  return (
    <form onSubmit={save} noValidate aria-label="Template">
      <UnsavedGuard isUnsaved={form.isUnsaved} />
      <AttemptNotice editing={editing} />
      <TwoColumns beside={<TemplatePreview definition={definition} />}>
        {/* The page of a new template would not show what is typed while it is saved. */}
        <fieldset className={classes["fields"]} disabled={stored === undefined && running !== null}>
          <Fields form={form} isKnown={stored !== undefined && stored.platformId !== null} />
        </fieldset>
      </TwoColumns>
      <EditorBar editing={editing} isStored={stored !== undefined} />
    </form>
  );
}

function Fields({ form, isKnown }: { form: TemplateForm; isKnown: boolean }) {
  return (
    <Stack gap="xl" pb="xl">
      <Section title="Basics">
        <BasicFields form={form} isKnown={isKnown} />
      </Section>
      <Section title="Message">
        <HeaderFields form={form} />
        <BodyField form={form} />
        <TextInput
          label="Footer"
          dir="auto"
          autoComplete="off"
          description={
            <FieldNote text={form.values.footer} limit={limits.footer}>
              One line without variables or emoji.
            </FieldNote>
          }
          {...form.at("footer")}
        />
      </Section>
      <Section
        title="Buttons"
        lead={`Up to ${limits.buttons}, with at most ${limits.urlButtons} links and ${limits.phoneButtons} phone number. Keep quick replies together.`}
      >
        <ButtonFields form={form} />
      </Section>
      <Section title="Examples" lead="An example for each variable. WhatsApp reviews the message with them; the preview shows them.">
        <ExampleFields form={form} />
      </Section>
    </Stack>
  );
}

/** The message on a phone, filled with the examples, and warnings. */
export function TemplatePreview({ definition }: { definition: TemplateDefinition }) {
  const { header, examples } = definition;
  const message = fillMessage(definition, cleanSlots(definition, examples), () => "no example yet");
  const file = header !== null && "file" in header ? header.file : undefined;
  const shown =
    file === undefined || message.header === null ? message : { ...message, header: { ...message.header, link: mediaFile(file.id) } };
  const isEmpty = header === null && definition.body.trim() === "" && definition.footer === null && definition.buttons.length === 0;
  const warnings = templateWarnings(definition);
  return (
    <Stack gap="sm" component="section" aria-label="Preview">
      <PhonePreview title="Preview">
        {isEmpty ? <Text size="sm">Your message appears here.</Text> : <MessageBubble {...shown} />}
      </PhonePreview>
      <Text size="xs" c="dimmed" ta="center">
        Variables show their examples.
      </Text>
      {warnings.length > 0 && (
        <List size="xs" c="dimmed">
          {warnings.map((warning) => (
            <List.Item key={warning.code}>{describeReason(warning, "page")}</List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}

/** The form with its preview beside it where there is room. */
export function TwoColumns({ beside, children }: { beside: ReactNode; children: ReactNode }) {
  return (
    <div className={classes["frame"]}>
      <div className={classes["columns"]}>
        <div>{children}</div>
        <div className={classes["beside"]}>{beside}</div>
      </div>
    </div>
  );
}

/** The end of the form, always visible. */
function EditorBar({ editing: { form, attempt, running }, isStored }: { editing: Editing; isStored: boolean }) {
  const clean = isStored ? "No unsaved changes" : "Not saved yet";
  return (
    <div className={classes["bar"]}>
      <div className={classes["state"]}>
        <FormStatus form={form} saved={clean} clean={clean} />
      </div>
      <Button type="submit" variant="default" loading={running === "save"} disabled={running === "submit"}>
        Save draft
      </Button>
      <Button loading={running === "submit"} disabled={running === "save"} onClick={() => attempt("submit")}>
        {form.isUnsaved() || !isStored ? "Save and submit" : "Submit template"}
      </Button>
    </div>
  );
}

/** Why the last attempt failed. It takes the focus, and its links lead to the fields. */
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

const goalTitles = { save: "Fix these to save", submit: "Fix these to submit" };
const refusalTitles = { save: "The template was not saved", submit: "Saved, but not submitted" };

function Reason({ editing: { blocking, goal, stage, form } }: { editing: Editing }) {
  const { refused } = form;
  if (blocking.length > 0) return <FaultList title={goalTitles[goal]} issues={blocking} left={form.issues} />;
  if (refused === null) return null;
  if (refused.issues.length > 0) return <FaultList title={refusalTitles[stage]} issues={refused.issues} left={form.refusedIssues} />;
  return <FailureNotice title={refusalTitles[stage]} error={refused} />;
}

interface FaultListProps {
  title: string;
  issues: readonly Issue[];
  /** Those that are still there. The list keeps its height while they are fixed, so that the page does not move. */
  left: readonly Issue[];
}

/** The faults as links to their fields. */
function FaultList({ title, issues, left }: FaultListProps) {
  return (
    <Alert color="red" title={title} role="alert">
      <List size="sm" spacing={2}>
        {issues.map(({ path, message }) => {
          const field = path.join(".");
          const isLeft = left.some((issue) => issue.path.join(".") === field && issue.message === message);
          return (
            <List.Item key={field + message}>
              <span className={isLeft ? undefined : classes["mended"]}>
                {!isLeft && <VisuallyHidden>Fixed: </VisuallyHidden>}
                <Anchor component="button" type="button" size="sm" c="inherit" underline="always" onClick={() => focusField(field)}>
                  {fieldName(field)}
                </Anchor>{" "}
                {message}
              </span>
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}

/** A header's file has one field, by its address or uploaded. */
const focusField = (field: string) =>
  document.querySelector<HTMLElement>(`[data-path="${field.replace("header.fileId", "header.url")}"]`)?.focus();
