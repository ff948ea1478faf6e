import { Card, Stack, Title } from "@mantine/core";
import { trpc } from "../../trpc.ts";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { pollEvery } from "./poll-every.ts";
import { RecentMessage } from "./recent-message.tsx";
import classes from "./recent-messages.module.css";

export function RecentMessages() {
  const notifications = trpc.notifications.list.useQuery({ limit: 20 }, { refetchInterval: pollEvery });
  const items = notifications.data?.items ?? [];
  return (
    <Stack component="section" gap="xs" aria-labelledby="recent-heading" miw={0}>
      <Title order={2} size="h4" id="recent-heading">
        Recently sent
      </Title>
      {notifications.error !== null && (
        <FailureNotice title="The log could not be read" error={notifications.error} onRetry={() => void notifications.refetch()} />
      )}
      {notifications.isPending && <Loading what="the log" />}
      {notifications.data !== undefined && (
        <Card withBorder padding={0}>
          {items.length === 0 && <HowToBegin />}
          <ul className={classes["list"]} aria-labelledby="recent-heading">
            {items.map((item) => (
              <RecentMessage key={item.id} {...item} />
            ))}
          </ul>
        </Card>
      )}
    </Stack>
  );
}

function HowToBegin() {
  return (
    <EmptyState title="Nothing was sent yet">
      Post a signed event to the gateway. The server printed a command to paste when it started; every message then stands here with its
      status.
    </EmptyState>
  );
}
