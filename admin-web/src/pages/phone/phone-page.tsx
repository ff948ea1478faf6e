import { Card, Code, Text, Button, Stack, Switch } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useSearch } from "@tanstack/react-router";
import { useMemo, useCallback, useEffect, useRef } from "react";
import { paths } from "../../paths.ts";
import { WithSettings, useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { PhoneFrame } from "../../ui/message.tsx";
import { FailureNotice, Loading } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { ChatList, ChatView, chatsOf, type Chat, isUnread, type PhoneMessage } from "./chat.tsx";
import classes from "./phone.module.css";

export function PhonePage() {
  return (
    <Page
      title="Sandbox phone"
      lead="While an account sends to the sandbox, its messages show here as they arrive, and none reaches a real phone."
    >
      <WithSettings>
        {({ platform: { configured, sandbox } }) =>
          configured && sandbox ? (
            <div className={classes["page"]}>
              <SandboxPhone />
              <MagicNumbersCard />
            </div>
          ) : (
            <NoSandbox configured={configured} />
          )
        }
      </WithSettings>
    </Page>
  );
}

/** How to try out what goes wrong. */
function MagicNumbersCard() {
  return (
    <Section
      title="Numbers that misbehave"
      lead="Any number is a phone here, and reads each message after three seconds. A message to one of these meets what its number stands for."
    >
      <Card withBorder>
        <dl className={classes["numbers"]}>
          {magicNumbers.map(({ phone, meaning }) => (
            <div key={phone}>
              <dt>
                <Code>{phone}</Code>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <Text size="sm" mt="md">
          <TextLink to={paths.topic} params={{ topic: "sandbox" }}>
            All numbers, one for every error of the platform
          </TextLink>
        </Text>
      </Card>
    </Section>
  );
}

/** Numbers worth knowing first, and what the sandbox makes of a message to each. The documentation has them all. */
export const magicNumbers: { phone: string; meaning: string }[] = [
  { phone: "+15550108011", meaning: "Delivered, and not read until you read it here" },
  { phone: "+15550101026", meaning: "Accepted, then failed: not deliverable (131026)" },
  { phone: "+15550101049", meaning: "Accepted, then held back by the platform (131049)" },
  { phone: "+15550101050", meaning: "The person stopped marketing messages (131050)" },
  { phone: "+15550100403", meaning: "The person blocked the business (130403)" },
  { phone: "+15550101056", meaning: "Refused: too many messages to one person (131056)" },
  { phone: "+15550108005", meaning: "The connection breaks: in doubt, nothing arrives" },
  { phone: "+15550108008", meaning: "Takes a few seconds to be accepted" },
];

/** In place of the phone while nothing goes to the sandbox. */
function NoSandbox({ configured }: { configured: boolean }) {
  return (
    <Card withBorder>
      <EmptyState title={configured ? "Messages go to real phones" : "No messaging platform is connected"}>
        {configured
          ? "This account is connected to the real platform, so there is no phone to show; what became of each message stands in the log. "
          : "Events are stored and nothing is sent until the account is connected, to the sandbox or to the real platform. "}
        <TextLink to={paths.platform}>See the platform&apos;s settings</TextLink>
      </EmptyState>
    </Card>
  );
}

/** Chats beside the one that is open; until one is chosen that is the newest. Where the window is narrow only one of the two shows. */
function SandboxPhone() {
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

function NoMessageYet() {
  return (
    <PhoneFrame title="Messages" newest={undefined}>
      <EmptyState title="No message yet">
        Every message that the sandbox delivers shows here at once. <TextLink to={paths.gettingStarted}>The first day</TextLink> leads from
        a site to the first one, step by step.
      </EmptyState>
    </PhoneFrame>
  );
}

/** Reading for the recipient, which takes the role operator: by hand, or whatever the open chat shows if that is switched on in this browser. */
function useReading(chat: Chat | undefined) {
  const may = useMay("operator");
  const { mutate, error: refusal } = useMarkRead();
  const [isAuto, setAuto] = useLocalStorage({ key: "tidings-phone-auto-read", defaultValue: false });
  const markRead = useCallback((id: string) => mutate({ id }), [mutate]);
  useAutoRead(may && isAuto, chat, markRead);
  return { markRead: may ? markRead : undefined, refusal, isAuto, setAuto };
}

/** Reads what the open chat holds and what arrives in it, each message once: one that is refused is not asked for again. */
function useAutoRead(isOn: boolean, chat: Chat | undefined, markRead: (id: string) => void): void {
  const asked = useRef(new Set<string>());
  useEffect(() => {
    if (!isOn || chat === undefined) return;
    for (const { id } of chat.messages.filter(isUnread)) {
      if (asked.current.has(id)) continue;
      asked.current.add(id);
      markRead(id);
    }
  }, [isOn, chat, markRead]);
}

interface MarkRead {
  mutate: (message: { id: string }) => void;
  error: { message: string } | null;
}

/** Opens a message on the phone. It is shown as read at once, and as before should the server refuse. */
function useMarkRead(): MarkRead {
  const messages = trpc.useUtils().sandbox.messages;
  return trpc.sandbox.markRead.useMutation({
    onMutate: async ({ id }) => {
      await messages.cancel();
      const before = messages.getInfiniteData(phoneMessagesInput);
      messages.setInfiniteData(
        phoneMessagesInput,
        (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: withRead(page.items, id) })) },
      );
      return before;
    },
    onError: (_error, _input, before) => messages.setInfiniteData(phoneMessagesInput, before),
    onSettled: () => messages.invalidate(),
  });
}

const withRead = (items: PhoneMessage[], id: string): PhoneMessage[] =>
  items.map((item) => (item.id === id ? { ...item, status: "read" } : item));

/** What is asked of the phone; also the key under which the answer is kept. */
const phoneMessagesInput = { limit: 100 };

/** Milliseconds between two looks at the phone. */
const pollEvery = 1500;
