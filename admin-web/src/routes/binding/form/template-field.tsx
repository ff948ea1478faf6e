import { Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { TemplateSelect } from "../../../pickers/template-select.tsx";
import { TemplateStatusBadge } from "../../../ui/template/template-status-badge.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import type { BindingForm } from "../use-binding-form.ts";

/** Which message is sent. */
export function TemplateField({ form: { draft, template, faults, change } }: { form: BindingForm }) {
  return (
    <div>
      <TemplateSelect
        required
        allowDeselect={false}
        value={draft.templateId === "" ? null : draft.templateId}
        error={faults["templateId"]}
        onChange={(value) => change({ templateId: value ?? "" })}
      />
      {template !== undefined && template.status !== "approved" && (
        <Text size="sm" mt="xs" component="div">
          <TemplateStatusBadge status={template.status} /> The binding can be saved, but nothing is sent until the template is approved.{" "}
          <TextLink to={paths.template} params={{ templateId: template.id }}>
            Open the template
          </TextLink>
        </Text>
      )}
    </div>
  );
}
