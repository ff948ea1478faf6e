import { UnstyledButton } from "@mantine/core";
import { MessageBubble } from "../../ui/message/message-bubble.tsx";
import { isUnread, type PhoneMessage } from "./chats.ts";
import { MessageTicks } from "./message-ticks.tsx";
import classes from "./phone-page.module.css";

interface PhoneMessageProps {
  message: PhoneMessage;
  /** Absent for whoever may not. */
  onRead: (() => void) | undefined;
}

export function PhoneMessageItem({ message, onRead }: PhoneMessageProps) {
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
