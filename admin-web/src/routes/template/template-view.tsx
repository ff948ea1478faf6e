import { Stack } from "@mantine/core";
import { useMay } from "../../session/me.ts";
import type { Outputs } from "../../trpc.ts";
import { HeaderMedia } from "./detail/header-media.tsx";
import { StatusNotice } from "./detail/status-notice.tsx";
import { SubmitAsItIs } from "./detail/submit-as-it-is.tsx";
import { TemplateBindings } from "./detail/template-bindings.tsx";
import { TemplateFacts } from "./detail/template-facts.tsx";
import { TemplateHistory } from "./detail/template-history.tsx";
import type { Refusal } from "./editor/refusal.ts";
import { TemplateEditor } from "./editor/template-editor.tsx";
import { valuesOf } from "./editor/values-of.ts";
import { TemplatePreview } from "./preview/template-preview.tsx";
import { definitionOf } from "./template.ts";
import { TwoColumns } from "./two-columns.tsx";

type TemplateViewProps = Outputs["templates"]["get"] & { refusal: Refusal | undefined };

/** A template as it stands: to be written on while it is a draft or was rejected, else to be looked at. */
export function TemplateView({ template, history, refusal }: TemplateViewProps) {
  const mayWrite = useMay("operator");
  const isOpen = template.status === "draft" || template.status === "rejected";
  const values = mayWrite && isOpen ? valuesOf(template) : null;
  // The first entry of a draft tells nothing.
  const past = history.length > 1 && <TemplateHistory history={history} />;
  if (values !== null)
    return (
      <>
        <StatusNotice template={template} />
        <TemplateEditor stored={template} initial={values} refusal={refusal} />
        {past}
      </>
    );
  return (
    <TwoColumns beside={<TemplatePreview definition={definitionOf(template)} />}>
      <Stack gap="xl">
        <StatusNotice template={template} />
        {mayWrite && isOpen && <SubmitAsItIs id={template.id} />}
        <TemplateFacts template={template} />
        <HeaderMedia template={template} />
        <TemplateBindings template={template} />
        {past}
      </Stack>
    </TwoColumns>
  );
}
