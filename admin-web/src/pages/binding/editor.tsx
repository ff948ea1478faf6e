import { Anchor, Button, Group, Stack, Switch } from "@mantine/core";
import type { ReactNode } from "react";
import { FormStatus, InputForm } from "../../ui/input-form.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { MessageFields, TriggerFields } from "./form.tsx";
import { PreviewPanel, useTrial } from "./preview.tsx";
import { SlotFields, useLearnedFields } from "./slot-fields.tsx";
import type { BindingForm } from "./use-binding-form.ts";
import classes from "./binding.module.css";

/** The form with its preview. `action`: the label of its button. */
export function BindingEditor({ form, action }: { form: BindingForm; action: string }) {
  const { template, input } = form;
  const trial = useTrial(input, template);
  const { payload, preview } = trial;
  const fields = useLearnedFields(input.siteId, payload.name);
  return (
    <SideBySide aside={<PreviewPanel template={template} trial={trial} />}>
      <InputForm form={form} failure="The binding was not saved">
        <Stack gap="lg">
          <TriggerFields form={form} isUnseen={payload.events?.length === 0} />
          <MessageFields form={form} fields={fields} />
          {form.templateError !== null && <FailureNotice title="Could not load the template" error={form.templateError} />}
          <SlotFields form={form} fields={fields} preview={preview.data} />
          <SaveBar form={form} action={action} />
        </Stack>
      </InputForm>
    </SideBySide>
  );
}

/** The end of the form, always visible. */
function SaveBar({ form, action }: { form: BindingForm; action: string }) {
  return (
    <Group justify="space-between" gap="sm" className={classes["bar"] ?? ""}>
      <Switch
        label="Switched on"
        checked={form.values.enabled}
        onChange={({ currentTarget }) => form.change({ enabled: currentTarget.checked })}
      />
      <Anchor href={`#${previewId}`} size="sm" underline="always" className={classes["jump"] ?? ""}>
        Preview
      </Anchor>
      <Group gap="sm">
        <div className={classes["status"]}>
          <FormStatus form={form} />
        </div>
        <Button type="submit" loading={form.isSaving} disabled={!form.maySave}>
          {action}
        </Button>
      </Group>
    </Group>
  );
}

const previewId = "preview";

/** The form with its preview beside it, or below in narrow windows. */
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
