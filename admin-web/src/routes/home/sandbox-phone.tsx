import { Stack, Text, Title } from "@mantine/core";
import { trpc } from "../../trpc.ts";
import { MessageBubble } from "../../ui/message/message-bubble.tsx";
import { PhoneFrame } from "../../ui/message/phone-frame.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { pollEvery } from "./poll-every.ts";

/** What the sandbox's phone holds, newest at the bottom as on a phone. */
export function SandboxPhone() {
  const messages = trpc.sandbox.messages.useQuery({ limit: 50 }, { refetchInterval: pollEvery });
  const items = messages.data?.items.toReversed() ?? [];
  return (
    <Stack component="section" gap="xs" aria-labelledby="phone-heading">
      <Title order={2} size="h4" id="phone-heading">
        The sandbox phone
      </Title>
      <Text size="sm" c="dimmed">
        This account sends to the sandbox: no message reaches a real phone.
      </Text>
      {messages.error !== null && (
        <FailureNotice title="The phone could not be read" error={messages.error} onRetry={() => void messages.refetch()} />
      )}
      {messages.isPending && <Loading what="messages" />}
      {messages.data !== undefined && (
        <PhoneFrame title="Messages" newest={items.at(-1)?.id}>
          {items.length === 0 && <EmptyState title="No message yet">Post an event, and its message shows here.</EmptyState>}
          {items.map((item) => (
            <div key={item.id}>
              <Text size="xs" mb={2}>
                to {item.to}
              </Text>
              <MessageBubble {...item} />
            </div>
          ))}
        </PhoneFrame>
      )}
    </Stack>
  );
}
