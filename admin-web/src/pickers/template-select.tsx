import { Group, Select, type SelectProps, Text } from "@mantine/core";
import { formatLanguage } from "../format.ts";
import { TemplateStatusBadge } from "../ui/template/template-status-badge.tsx";
import { type ListedTemplate, useAllTemplates } from "./use-all-templates.ts";

/** One of the account's templates: the approved ones first, the others with what they wait for. */
export function TemplateSelect({ error, ...props }: Omit<SelectProps, "data" | "renderOption">) {
  const { templates, error: failure } = useAllTemplates();
  const byId = new Map(templates.map((template) => [template.id, template]));
  return (
    <Select
      label="Template"
      placeholder="Search by name"
      data={grouped(templates)}
      renderOption={({ option }) => <TemplateOption template={byId.get(option.value)} />}
      searchable
      maxDropdownHeight={320}
      nothingFoundMessage="No such template"
      error={error ?? (failure && "Could not load the templates")}
      {...props}
    />
  );
}

function grouped(templates: readonly ListedTemplate[]) {
  const itemsOf = (isApproved: boolean) =>
    templates
      .filter(({ status }) => (status === "approved") === isApproved)
      .map(({ id, name, language }) => ({ value: id, label: `${name} (${language})` }));
  return [
    { group: "Approved", items: itemsOf(true) },
    { group: "Nothing is sent with these yet", items: itemsOf(false) },
  ].filter(({ items }) => items.length > 0);
}

function TemplateOption({ template }: { template: ListedTemplate | undefined }) {
  if (template === undefined) return null;
  const { name, language, status, body } = template;
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={500} span>
          {name}
        </Text>
        <Text size="xs" c="dimmed" span>
          {formatLanguage(language)}
        </Text>
        {status !== "approved" && <TemplateStatusBadge status={status} />}
      </Group>
      <Text size="xs" c="dimmed" lineClamp={1}>
        {body}
      </Text>
    </div>
  );
}
