import { Stack, Anchor, Button, Group, Switch, Text } from "@mantine/core";
import { useEffect, useRef, type ReactNode } from "react";
import { UnsavedGuard } from "../../ui/inputs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { MessageFields, TriggerFields } from "./form.tsx";
import { PreviewPanel, useTrial } from "./preview.tsx";
import { SlotFields, useLearnedFields } from "./slot-fields.tsx";
import type { BindingForm } from "./use-binding-form.ts";
import classes from "./binding.module.css";

/** The form of a binding, and beside it what comes of it. `action`: what its button does. */
export function BindingEditor({ form, action }: { form: BindingForm; action: string }) {
  const { template, input } = form;
  const trial = useTrial(input, template);
  const { payload, preview } = trial;
  const element = useFocusOnFault(form.failures);
  const fields = useLearnedFields(input.siteId, payload.name);
  return (
    <SideBySide aside={<PreviewPanel template={template} trial={trial} />}>
      <form ref={element} onSubmit={form.onSubmit} noValidate>
        <UnsavedGuard isUnsaved={form.isUnsaved} />
        <Stack gap="lg">
          <TriggerFields form={form} isUnseen={payload.events?.length === 0} />
          <MessageFields form={form} fields={fields} />
          {form.templateError !== null && <FailureNotice title="Could not load the template" error={form.templateError} />}
          <SlotFields form={form} fields={fields} preview={preview.data} />
          {form.refusal !== null && <FailureNotice title="The binding was not saved" error={form.refusal} />}
          <SaveBar form={form} action={action} />
        </Stack>
      </form>
    </SideBySide>
  );
}

/** After each try that failed the first field that is wrong has the focus. */
function useFocusOnFault(failures: number) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failures > 0) element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [failures]);
  return element;
}

/** What a long form ends with, always in sight. `action`: what its button does. */
function SaveBar({ form, action }: { form: BindingForm; action: string }) {
  const isFaulty = Object.keys(form.faults).length > 0;
  return (
    <Group justify="space-between" gap="sm" className={classes["bar"] ?? ""}>
      <Switch
        label="Switched on"
        checked={form.draft.enabled}
        onChange={({ currentTarget }) => form.change({ enabled: currentTarget.checked })}
      />
      <Anchor href={`#${previewId}`} size="sm" underline="always" className={classes["jump"] ?? ""}>
        Preview
      </Anchor>
      <Group gap="sm">
        <Text size="sm" role="status" className={classes["status"] ?? ""} c={isFaulty ? "var(--mantine-color-error)" : "dimmed"}>
          {isFaulty && "Not saved: see the fields in red"}
          {form.isSaved && "Saved"}
        </Text>
        <Button type="submit" loading={form.isSaving} disabled={!form.maySave}>
          {action}
        </Button>
      </Group>
    </Group>
  );
}

const previewId = "preview";

/** What is worked on, and beside it, or below where there is no room, what comes of it. */
export function SideBySide({ aside, children }: { aside: ReactNode; children: ReactNode }) {
  return (
    <div className={classes["frame"]}>
      <div className={classes["columns"]}>
        {children}
        <aside id={previewId} className={classes["aside"]} aria-label="Preview">
          {aside}
        </aside>
      </div>
    </div>
  );
}
