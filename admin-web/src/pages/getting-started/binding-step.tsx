import { Text, Button, Stack, Table } from "@mantine/core";
import { slotGroups } from "shared/core/binding";
import { exampleEvent, examplePayload, exampleVariableMap } from "shared/core/example";
import type { TemplateDefinition } from "shared/core/template/definition";
import { cleanSlots } from "shared/core/template/message";
import type { SlotTexts } from "shared/core/template/slots";
import type { VariableMap, VarSpec } from "shared/core/variables";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/buttons.tsx";
import { fillMessage } from "../../ui/fill-message.ts";
import { MessageBubble, PhonePreview } from "../../ui/message.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { ForRole } from "./platform-and-site-steps.tsx";
import type { Facts } from "./progress.ts";
import classes from "./getting-started.module.css";

export function BindingSummary({ binding }: Facts) {
  return binding === undefined
    ? "A binding says which event sends which template, to whom, and with which values."
    : `${binding.event} sends ${binding.template}.`;
}

export function BindingStep({ site, example, approved, binding }: Facts) {
  if (binding !== undefined)
    return (
      <TextLink to={paths.binding} params={{ bindingId: binding.id }}>
        Open binding
      </TextLink>
    );
  if (site === undefined || approved === undefined) return <Text size="sm">Add a site and get a template approved first.</Text>;
  if (approved.id === example?.id) return <ExampleBinding site={site} template={approved} />;
  return (
    <ForRole>
      <ButtonLink to={paths.newBinding} search={{ siteId: site.id, event: exampleEvent, templateId: approved.id }}>
        Create binding for {approved.name}
      </ButtonLink>
    </ForRole>
  );
}

interface ExampleBindingProps {
  site: NonNullable<Facts["site"]>;
  template: NonNullable<Facts["approved"]>;
}

function ExampleBinding({ site, template }: ExampleBindingProps) {
  const cache = trpc.useUtils();
  const binding = {
    siteId: site.id,
    event: exampleEvent,
    templateId: template.id,
    recipient: { strategy: "customer" as const },
    variableMap: exampleVariableMap,
  };
  const create = trpc.bindings.create.useMutation({ onSuccess: () => cache.bindings.invalidate() });
  const preview = trpc.bindings.preview.useQuery({ ...binding, payload: examplePayload });
  return (
    <Stack gap="md" data-wide>
      <Text size="sm">
        When <strong>{exampleEvent}</strong> arrives from {site.name}, the customer gets <strong>{template.name}</strong> with these values:
      </Text>
      <div className={classes["exampleBindingColumns"]}>
        <VariableTable map={exampleVariableMap} slots={preview.data?.slots} />
        {preview.error !== null && (
          <FailureNotice title="Could not load the preview" error={preview.error} onRetry={() => void preview.refetch()} />
        )}
        {preview.data !== undefined && <ExampleMessage template={template} slots={preview.data.slots} />}
      </div>
      {create.error !== null && <FailureNotice title="Could not create the binding" error={create.error} />}
      <ForRole>
        <Button w="fit-content" loading={create.isPending} onClick={() => create.mutate(binding)}>
          Create binding
        </Button>
      </ForRole>
    </Stack>
  );
}

function ExampleMessage({ template, slots }: { template: TemplateDefinition; slots: SlotTexts }) {
  return (
    <PhonePreview title="Preview">
      <MessageBubble {...fillMessage(template, cleanSlots(template, slots), () => "the example order has no value")} />
    </PhonePreview>
  );
}

const partLabels = { header: "Header", body: "Text", buttonUrl: "Button" } as const;

function VariableTable({ map, slots }: { map: VariableMap; slots: SlotTexts | undefined }) {
  return (
    <Table aria-label="Variables" className={classes["table"]} horizontalSpacing={0} verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Variable</Table.Th>
          <Table.Th scope="col">Value from</Table.Th>
          <Table.Th scope="col">Example</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {slotGroups.flatMap(({ mapKey, part }) =>
          Object.entries(map[mapKey] ?? {}).map(([slot, spec], index) => (
            <Table.Tr key={`${mapKey} ${slot}`}>
              <Table.Td>
                {partLabels[part]} {`{{${slot}}}`}
              </Table.Td>
              <Table.Td>{sourceOf(spec)}</Table.Td>
              <Table.Td>{slots?.[part][index] ?? "…"}</Table.Td>
            </Table.Tr>
          )),
        )}
      </Table.Tbody>
    </Table>
  );
}

function sourceOf(spec: VarSpec): string {
  switch (spec.source) {
    case "field":
      return spec.path;
    case "expression":
      return spec.expr;
    case "static":
      return `“${spec.value}”`;
  }
}
