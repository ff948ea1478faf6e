import { paths } from "../../paths.ts";
import { PhoneFrame } from "../../ui/message/phone-frame.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import type { Chat } from "./chats.ts";
import { PhoneMessageItem } from "./phone-message.tsx";
import classes from "./phone-page.module.css";

interface ChatViewProps {
  to: string;
  /** Undefined while nothing was sent to that phone. */
  chat: Chat | undefined;
  /** Absent for whoever may not read for the recipient. */
  onRead: ((id: string) => void) | undefined;
}

/** The phone of one recipient. */
export function ChatView({ to, chat, onRead }: ChatViewProps) {
  return (
    <div>
      <TextLink to={paths.phone} search={{}} className={classes["back"] ?? ""}>
        All chats
      </TextLink>
      <PhoneFrame title={to} newest={chat?.newest.id}>
        {chat === undefined && (
          <EmptyState title={`Nothing was sent to ${to}`}>A message to that phone shows here as soon as it arrives.</EmptyState>
        )}
        {chat?.messages.map((message) => (
          <PhoneMessageItem key={message.id} message={message} onRead={onRead && (() => onRead(message.id))} />
        ))}
      </PhoneFrame>
    </div>
  );
}
