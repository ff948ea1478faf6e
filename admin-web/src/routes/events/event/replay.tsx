import { Button, Stack, Text } from "@mantine/core";
import IconPlayerPlay from "@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs";
import { useState } from "react";
import { paths } from "../../../paths.ts";
import { trpc } from "../../../trpc.ts";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { ListSkeleton } from "../../../ui/states/list-skeleton.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { ReplayedBinding } from "./replayed-binding.tsx";

interface ReplayProps {
  siteId: string;
  name: string;
  payload: string;
}

/** What the event would come to by the bindings as they are now. */
export function Replay(props: ReplayProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <Section
      title="Replay as a dry run"
      lead="The payload goes through the bindings as they are now. Nothing is stored and nothing is sent."
      actions={
        !isAsked && (
          <Button size="compact-md" variant="default" leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => setAsked(true)}>
            Replay
          </Button>
        )
      }
    >
      {isAsked && <Replayed {...props} />}
    </Section>
  );
}

function Replayed({ siteId, name, payload }: ReplayProps) {
  const bindings = trpc.bindings.list.useQuery({ siteId, event: name, limit: 200 }, { refetchOnMount: "always" });
  if (bindings.error !== null)
    return <FailureNotice title="Could not load the bindings" error={bindings.error} onRetry={() => void bindings.refetch()} />;
  if (bindings.data === undefined) return <ListSkeleton what="the bindings" />;
  const enabled = bindings.data.items.filter((binding) => binding.enabled);
  if (enabled.length === 0) {
    return (
      <Text size="sm">
        No binding of this site is switched on for {name} now, so nothing would be sent.{" "}
        <TextLink to={paths.newBinding} search={{ siteId, event: name }}>
          Make one
        </TextLink>
      </Text>
    );
  }
  return (
    <Stack gap="md" role="list" aria-label="What each binding would do">
      {enabled.map((binding) => (
        <ReplayedBinding key={binding.id} binding={binding} payload={payload} />
      ))}
    </Stack>
  );
}
