import { Moment } from "../moment.tsx";
import { EmptySlotMark } from "./empty-slot-mark.tsx";
import { FormattedText } from "./formatted-text.tsx";
import { MessageButton } from "./message-button.tsx";
import { MessageHeader } from "./message-header.tsx";
import type { Message } from "./message.ts";
import classes from "./message-bubble.module.css";

/** A message as its recipient's phone shows it. Slots that nothing fills stand out, with the reason. */
export function MessageBubble({ header, body, footer, buttons, at }: Message) {
  return (
    <div className={classes["bubble"]}>
      {header !== null && <MessageHeader {...header} />}
      <div className={classes["text"]}>
        <FormattedText text={body} />
      </div>
      {footer !== null && <div className={classes["footer"]}>{footer}</div>}
      <div className={classes["time"]}>{at !== undefined && <Moment at={at} />}</div>
      {buttons.map(({ empty, ...button }, index) => (
        <MessageButton key={index} {...button}>
          {empty !== undefined && <EmptySlotMark {...empty} />}
        </MessageButton>
      ))}
    </div>
  );
}
