import { Stack } from "@mantine/core";
import { useEffect, useRef } from "react";
import { UnsavedGuard } from "../../ui/form/unsaved-guard.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { MessageFields } from "./form/message-fields.tsx";
import { SlotFields } from "./form/slot-fields.tsx";
import { TriggerFields } from "./form/trigger-fields.tsx";
import { useLearnedFields } from "./form/use-learned-fields.ts";
import { PreviewPanel } from "./preview/preview-panel.tsx";
import { useTrial } from "./preview/use-trial.ts";
import { SaveBar } from "./save-bar.tsx";
import { SideBySide } from "./side-by-side.tsx";
import type { BindingForm } from "./use-binding-form.ts";

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
