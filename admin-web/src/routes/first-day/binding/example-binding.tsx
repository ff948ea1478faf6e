import { Button, Stack, Text } from "@mantine/core";
import { exampleEvent, examplePayload, exampleVariableMap } from "shared/core/example";
import { trpc } from "../../../trpc.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { ForRole } from "../for-role.tsx";
import type { Facts } from "../progress.ts";
import { ExampleMessage } from "./example-message.tsx";
import { VariableTable } from "./variable-table.tsx";
import classes from "./example-binding.module.css";

interface ExampleBindingProps {
  site: NonNullable<Facts["site"]>;
  template: NonNullable<Facts["approved"]>;
}

/** All of it is filled in: who gets it, what stands in each slot, and how it will look. */
export function ExampleBinding({ site, template }: ExampleBindingProps) {
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
        When <strong>{exampleEvent}</strong> arrives from {site.name}, its customer gets <strong>{template.name}</strong>, with these values
        in the slots:
      </Text>
      <div className={classes["columns"]}>
        <VariableTable map={exampleVariableMap} slots={preview.data?.slots} />
        {preview.error !== null && <FailureNotice title="No preview" error={preview.error} onRetry={() => void preview.refetch()} />}
        {preview.data !== undefined && <ExampleMessage template={template} slots={preview.data.slots} />}
      </div>
      {create.error !== null && <FailureNotice title="The binding was not made" error={create.error} />}
      <ForRole>
        <Button w="fit-content" loading={create.isPending} onClick={() => create.mutate(binding)}>
          Make this binding
        </Button>
      </ForRole>
    </Stack>
  );
}
