import { Button, Stack, Switch } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { FailureNotice } from "../../ui/states/failure-notice.tsx";
import { Loading } from "../../ui/states/loading.tsx";
import { ChatList } from "./chat-list.tsx";
import { ChatView } from "./chat-view.tsx";
import { chatsOf } from "./chats.ts";
import { NoMessageYet } from "./no-message-yet.tsx";
import { phoneMessagesInput, pollEvery } from "./phone-messages.ts";
import { useReading } from "./use-reading.ts";
import classes from "./phone-page.module.css";

/** Chats beside the one that is open; until one is chosen that is the newest. Where the window is narrow only one of the two shows. */
export function SandboxPhone() {
  const { to } = useSearch({ from: `/signed-in${paths.phone}` });
  const messages = trpc.sandbox.messages.useInfiniteQuery(phoneMessagesInput, {
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: pollEvery,
  });
  const chats = useMemo(() => chatsOf(messages.data?.pages.flatMap(({ items }) => items) ?? []), [messages.data]);
  const open = to ?? chats[0]?.to;
  const chat = chats.find((each) => each.to === open);
  const { markRead, refusal, isAuto, setAuto } = useReading(chat);
  return (
    <Stack gap="md">
      {messages.error !== null && (
        <FailureNotice title="Could not load the phone" error={messages.error} onRetry={() => void messages.refetch()} />
      )}
      {refusal !== null && <FailureNotice title="The message was not marked as read" error={refusal} />}
      {messages.isPending && <Loading what="the phone" />}
      {messages.isSuccess && open === undefined && <NoMessageYet />}
      {open !== undefined && (
        <div className={classes["columns"]} data-chosen={to !== undefined}>
          <div className={classes["side"]}>
            {markRead !== undefined && (
              <Switch
                label="Read messages while I look at them"
                checked={isAuto}
                onChange={(event) => setAuto(event.currentTarget.checked)}
              />
            )}
            <ChatList chats={chats} open={open} />
            {messages.hasNextPage && (
              <Button variant="default" loading={messages.isFetchingNextPage} onClick={() => void messages.fetchNextPage()}>
                Show older messages
              </Button>
            )}
          </div>
          <div className={classes["chat"]}>
            <ChatView to={open} chat={chat} onRead={markRead} />
          </div>
        </div>
      )}
    </Stack>
  );
}
