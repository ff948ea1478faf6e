import { Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { useMay } from "../../../session/me.ts";
import { trpc } from "../../../trpc.ts";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { ListSkeleton } from "../../../ui/states/list-skeleton.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import type { Template } from "../template.ts";
import { BindingList } from "./binding-list.tsx";

/** What sends it. */
export function TemplateBindings({ template: { id, status } }: { template: Template }) {
  const bindings = trpc.bindings.list.useQuery({ templateId: id, limit: 200 });
  const mayBind = useMay("operator") && status === "approved";
  return (
    <Section title="Sent by">
      {bindings.error !== null && (
        <FailureNotice title="Could not load its bindings" error={bindings.error} onRetry={() => void bindings.refetch()} />
      )}
      {bindings.isPending && <ListSkeleton what="its bindings" />}
      {bindings.data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          No binding sends it yet.{" "}
          {mayBind && (
            <TextLink to={paths.newBinding} search={{ templateId: id }}>
              Bind it to an event
            </TextLink>
          )}
        </Text>
      )}
      {bindings.data !== undefined && bindings.data.items.length > 0 && <BindingList bindings={bindings.data.items} />}
    </Section>
  );
}
