import { Card, Stack, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { type Outputs, trpc } from "../../../trpc.ts";
import { ChatPaper } from "../../../ui/message/chat-paper.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { ListSkeleton } from "../../../ui/states/list-skeleton.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { LiveAnswer } from "../../binding/preview/live-answer.tsx";
import { PreviewMessage } from "../../binding/preview/preview-message.tsx";

interface ReplayedBindingProps {
  binding: Outputs["bindings"]["list"]["items"][number];
  payload: string;
}

/** What one binding would do with the payload: the message, and whom it would reach. */
export function ReplayedBinding({ binding, payload }: ReplayedBindingProps) {
  const { id, siteId, event, templateId, recipient, variableMap, template, language } = binding;
  // Asked anew each time: phones, templates and time zone may have changed.
  const fresh = { refetchOnMount: "always", gcTime: 0 } as const;
  const preview = trpc.bindings.preview.useQuery({ siteId, event, templateId, recipient, variableMap, payload }, fresh);
  const definition = trpc.templates.get.useQuery({ id: templateId }, fresh);
  const failed = [preview, definition].find(({ error }) => error !== null);
  return (
    <Card withBorder padding="md" role="listitem">
      <Stack gap="sm">
        <Text size="sm">
          <TextLink to={paths.binding} params={{ bindingId: id }} fw={600}>
            {template}
          </TextLink>{" "}
          ({language})
        </Text>
        {failed?.error && <FailureNotice title="Could not try this binding" error={failed.error} onRetry={() => void failed.refetch()} />}
        {failed === undefined && (preview.data === undefined || definition.data === undefined) && <ListSkeleton what="the message" />}
        {preview.data !== undefined && <LiveAnswer preview={preview.data} />}
        {preview.data !== undefined && definition.data !== undefined && (
          <ChatPaper>
            <PreviewMessage template={definition.data.template} preview={preview.data} />
          </ChatPaper>
        )}
      </Stack>
    </Card>
  );
}
