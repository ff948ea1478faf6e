import { Badge, Card, Text, UnstyledButton } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconChecks from "@tabler/icons-react/dist/esm/icons/IconChecks.mjs";
import { Link } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Moment } from "../../ui/facts.tsx";
import { PhoneFrame, MessageBubble } from "../../ui/message.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import classes from "./phone.module.css";

export type PhoneMessage = Outputs["sandbox"]["messages"]["items"][number];

export interface Chat {
  /** E.164, masked for viewers. */
  to: string;
  /** Oldest first, at least one. */
  messages: PhoneMessage[];
  newest: PhoneMessage;
  unread: number;
}

export function ChatList({ chats, open }: { chats: Chat[]; open: string | undefined }) {
  return (
    <Card withBorder padding={0}>
      <ul className={classes["chats"]} aria-label="Chats">
        {chats.map((chat) => (
          <li key={chat.to}>
            <Link
              to={paths.phone}
              search={{ to: chat.to }}
              replace
              className={classes["entry"]}
              aria-current={chat.to === open ? "true" : undefined}
            >
              <span className={classes["who"]}>{chat.to}</span>
              <Text span size="xs" c="dimmed">
                <Moment at={chat.newest.at} />
              </Text>
              <Text span size="sm" c="dimmed" truncate className={classes["text"] ?? ""}>
                {chat.newest.body}
              </Text>
              {chat.unread > 0 && (
                <Badge size="sm" color="teal.9" aria-label={`${chat.unread} unread`}>
                  {chat.unread}
                </Badge>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface ChatViewProps {
  to: string;
  /** Undefined if the phone has no message. */
  chat: Chat | undefined;
  /** Undefined without the role operator. */
  onRead: ((id: string) => void) | undefined;
}

export function ChatView({ to, chat, onRead }: ChatViewProps) {
  return (
    <div>
      <TextLink to={paths.phone} search={{}} className={classes["back"] ?? ""}>
        All chats
      </TextLink>
      <PhoneFrame title={to} newest={chat?.newest.id}>
        {chat === undefined && (
          <EmptyState title={`No messages to ${to}`}>Messages to this number show here as soon as they arrive.</EmptyState>
        )}
        {chat?.messages.map((message) => (
          <PhoneMessageItem key={message.id} message={message} onRead={onRead && (() => onRead(message.id))} />
        ))}
      </PhoneFrame>
    </div>
  );
}

interface PhoneMessageProps {
  message: PhoneMessage;
  /** Undefined without the role operator. */
  onRead: (() => void) | undefined;
}

function PhoneMessageItem({ message, onRead }: PhoneMessageProps) {
  return (
    <div>
      <MessageBubble {...message} />
      <div className={classes["below"]}>
        <MessageTicks status={message.status} />
        {onRead !== undefined && isUnread(message) && (
          <UnstyledButton className={classes["read"]} onClick={onRead}>
            Mark as read
          </UnstyledButton>
        )}
      </div>
    </div>
  );
}

/** One tick for sent, two for delivered, two in colour for read. */
function MessageTicks({ status }: { status: string }) {
  const Icon = status === "delivered" || status === "read" ? IconChecks : IconCheck;
  return (
    <span className={classes["ticks"]} data-status={status}>
      <Icon size={16} aria-hidden />
      {status}
    </span>
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

export const isUnread = ({ status }: PhoneMessage): boolean => status !== "read";
