import { Card, Text, Stack, Switch, Badge, UnstyledButton, Group, TextInput } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconChecks from "@tabler/icons-react/dist/esm/icons/IconChecks.mjs";
import { useSearch, Link } from "@tanstack/react-router";
import { useMemo, useCallback, useEffect, useRef, useState } from "react";
import { sentenceCase } from "shared/core/text";
import { t, translated } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { Moment, Facts } from "../../ui/base/facts.tsx";
import { doing, ticked, bound } from "../../ui/base/fields.ts";
import { tableOf } from "../../ui/base/labels.ts";
import { Rows } from "../../ui/base/layout.tsx";
import { Dimmed, Page, Section, FailureNotice, Loading, rich, Small, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { WithSettings } from "../../ui/form/with-settings.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { ShowMore } from "../../ui/table/data-table.tsx";
import { PhoneFrame, MessageBubble } from "../../ui/template/message.tsx";
import { Controls } from "./controls.tsx";
import labels from "./labels.json";
import classes from "./phone.module.css";

export function PhonePage() {
  const sites = trpc.sites.list.useQuery({ limit: 200 }, { staleTime: 60_000 });
  const hasTestSite = sites.data?.items.some(({ mode }) => mode === "test") === true;
  return (
    <Page title={t("Sandbox phone")} lead={t("No message here reaches a real phone.")}>
      <WithSettings>
        {({ platform: { configured, sandbox } }) =>
          (configured && sandbox) || hasTestSite ? (
            <div className={classes["page"]}>
              <SandboxPhone />
              <Section
                title={t("Test numbers")}
                lead={t("Any number works here and reads each message after three seconds. These numbers behave differently.")}
                isCard
              >
                <Facts told={Object.entries(magicNumbers).map(([name, text]) => ({ name, text }))} />
                <Text>
                  <TextLink {...pages.topic("sandbox")}>{t("All test numbers, one for each WhatsApp error")}</TextLink>
                </Text>
              </Section>
            </div>
          ) : (
            <EmptyState title={configured ? t("Messages go to real phones") : t("WhatsApp is not connected")}>
              {configured
                ? t("This account is connected to WhatsApp. Messages shows the status of each. ")
                : t("Events are stored, but nothing is sent until you connect the sandbox or WhatsApp. ")}
              <TextLink to={paths.platform}>{t("Open platform settings")}</TextLink>
            </EmptyState>
          )
        }
      </WithSettings>
    </Page>
  );
}

const pollMs = 1500;

/** The chats and the open one, at first the newest. Narrow windows show one of the two. */
function SandboxPhone() {
  const { to } = useSearch({ from: `/signed-in${paths.phone}` });
  const messages = useLiveList("sandbox.messages", { limit: 100 }, { every: pollMs });
  const chats = useMemo(() => chatsOf(messages.data?.pages.flatMap(({ items }) => items) ?? []), [messages.data]);
  const open = to ?? chats[0]?.to;
  const chat = chats.find((each) => each.to === open);
  const { markRead, refusal, isAuto, setAuto } = useMarkAsRead(chat);
  return (
    <Stack>
      <FailureNotice title={t("Could not load the phone")} of={messages} />
      <FailureNotice title={t("Could not mark the message as read")} error={refusal} />
      {messages.isPending && <Loading what={t("the phone")} />}
      {messages.isSuccess && open === undefined && (
        <PhoneFrame title={t("Messages")} newest={undefined}>
          <EmptyState title={t("No messages yet")}>
            {rich(
              t("Messages appear here as soon as the sandbox delivers them. <0>Get started</0> leads to the first one, step by step."),
              <TextLink to={paths.gettingStarted} />,
            )}
          </EmptyState>
        </PhoneFrame>
      )}
      {open !== undefined && (
        <div className={classes["columns"]} data-chosen={to !== undefined}>
          <Stack>
            {markRead !== undefined && <Switch label={t("Mark messages as read while I view them")} {...ticked(isAuto, setAuto)} />}
            <ChatList chats={chats} open={open} />
            <ShowMore query={messages}>{t("Show older messages")}</ShowMore>
          </Stack>
          <ChatView to={open} chat={chat} onRead={markRead} />
        </div>
      )}
      <Controls phone={open} />
    </Stack>
  );
}

/** The most useful magic numbers of the sandbox; the documentation has them all. */
export const magicNumbers: Readonly<Record<string, string>> = tableOf(labels);

/** Marks messages as read, which takes the role operator: by hand, or all of the open chat if this browser has that switched on. */
function useMarkAsRead(chat: Chat | undefined) {
  const may = useMay("operator");
  const { mutate, error: refusal } = trpc.sandbox.markRead.useMutation({ onSettled: () => cache.sandbox.messages.invalidate() });
  const [isAuto, setAuto] = useLocalStorage({ key: "tidings-phone-auto-read", defaultValue: false });
  const markRead = useCallback((id: string) => mutate({ id }), [mutate]);
  useAutoRead(may && isAuto, chat, markRead);
  return { markRead: may ? markRead : undefined, refusal, isAuto, setAuto };
}

/** Marks every message of the open chat, each once: a refused one is not tried again. */
function useAutoRead(isOn: boolean, chat: Chat | undefined, markRead: (id: string) => void): void {
  const tried = useRef(new Set<string>());
  useEffect(() => {
    if (!isOn || chat === undefined) return;
    for (const { id } of chat.messages.filter(isUnread)) {
      if (tried.current.has(id)) continue;
      tried.current.add(id);
      markRead(id);
    }
  }, [isOn, chat, markRead]);
}

export type PhoneMessage = Outputs["sandbox"]["messages"]["items"][number];

interface Chat {
  /** E.164, masked for viewers. */
  to: string;
  /** Oldest first, at least one. */
  messages: PhoneMessage[];
  newest: PhoneMessage;
  unread: number;
}

const ChatList = ({ chats, open }: { chats: Chat[]; open: string | undefined }) => (
  <Card padding={0}>
    <Rows mah="31rem" style={{ overflowY: "auto" }} aria-label={t("Chats")}>
      {chats.map((chat) => (
        <li key={chat.to}>
          <Link
            to={paths.phone}
            search={{ to: chat.to }}
            replace
            className={classes["entry"]}
            aria-current={chat.to === open ? "true" : undefined}
          >
            <bdi className={classes["who"]}>{chat.to}</bdi>
            <Small span>
              <Moment at={chat.newest.at} />
            </Small>
            <Dimmed span truncate className={classes["text"] ?? ""}>
              {chat.newest.body}
            </Dimmed>
            {chat.unread > 0 && (
              <Badge size="sm" color="teal.9" aria-label={t("{unread} unread", { unread: chat.unread })}>
                {chat.unread}
              </Badge>
            )}
          </Link>
        </li>
      ))}
    </Rows>
  </Card>
);

/** `chat`: undefined if the phone has no message. `onRead`: undefined without the role operator. */
const ChatView = ({ to, chat, onRead }: { to: string; chat: Chat | undefined; onRead: ((id: string) => void) | undefined }) => (
  <div>
    <TextLink to={paths.phone} search={{}} className={classes["back"] ?? ""}>
      {t("All chats")}
    </TextLink>
    <PhoneFrame title={to} newest={chat?.newest.id}>
      {chat === undefined && (
        <EmptyState title={t("No messages to {to}", { to })}>{t("Messages to this number appear here as soon as they arrive.")}</EmptyState>
      )}
      {chat?.messages.map((message) => (
        <PhoneMessageItem key={message.id} message={message} onRead={onRead && (() => onRead(message.id))} />
      ))}
    </PhoneFrame>
    {onRead !== undefined && <Answer key={to} from={to} />}
  </div>
);

const PhoneMessageItem = ({ message, onRead }: { message: PhoneMessage; onRead: (() => void) | undefined }) => (
  <div>
    <MessageBubble {...message} />
    <Group gap="sm" mih="1.6rem" fz="0.78rem">
      <MessageTicks status={message.status} />
      {onRead !== undefined && isUnread(message) && (
        <UnstyledButton fz="inherit" fw={600} td="underline" className={classes["read"]} onClick={onRead}>
          {t("Mark as read")}
        </UnstyledButton>
      )}
    </Group>
  </div>
);

/** One tick for sent, two for delivered, two in colour for read. */
function MessageTicks({ status }: { status: string }) {
  const Icon = status === "delivered" || status === "read" ? IconChecks : IconCheck;
  return (
    <Group component="span" display="inline-flex" gap="0.2rem" className={classes["ticks"] ?? ""} data-status={status}>
      <Icon size={16} aria-hidden />
      {sentenceCase(translated(status))}
    </Group>
  );
}

/** One chat per recipient, the one with the newest message first. `messages`: newest first. */
export function chatsOf(messages: PhoneMessage[]): Chat[] {
  const byRecipient = new Map<string, Chat>();
  for (const message of messages) {
    const chat = byRecipient.get(message.to) ?? { to: message.to, messages: [], newest: message, unread: 0 };
    chat.messages.unshift(message);
    if (isUnread(message)) chat.unread += 1;
    byRecipient.set(message.to, chat);
  }
  return [...byRecipient.values()];
}

const isUnread = ({ status }: PhoneMessage): boolean => status !== "read";

/** Writes to the account as the person with the phone `from`. */
function Answer({ from }: { from: string }) {
  const [text, setText] = useState("");
  const answer = trpc.sandbox.answer.useMutation({ onSuccess: () => setText("") });
  return (
    <form onSubmit={doing(() => text.trim() !== "" && answer.mutate({ from, text }))} aria-label={t("Answer")}>
      <Group gap="sm" align="end" mt="sm">
        <TextInput
          label={t("Answer as {from}", { from })}
          placeholder={t("Stop")}
          maxLength={4096}
          flex={1}
          miw="10rem"
          {...bound(text, setText)}
        />
        <SecondaryButton type="submit" loading={answer.isPending}>
          {t("Send answer")}
        </SecondaryButton>
      </Group>
      <Dimmed mt={4} aria-live="polite">
        {answer.isSuccess
          ? t("Sent: “{text}”. A stop or start word takes effect within seconds; see Privacy.", { text: answer.variables.text })
          : t("A stop word such as Stop opts this person out; a start word opts them in again. Nothing else is kept.")}
      </Dimmed>
      <FailureNotice title={t("Could not send the answer")} of={answer} />
    </form>
  );
}
