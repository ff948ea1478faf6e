import { Moment } from "../moment.tsx";
import { FormattedText } from "./formatted-text.tsx";
import { MessageButton } from "./message-button.tsx";
import { MessageHeader } from "./message-header.tsx";
import classes from "./message-bubble.module.css";

export interface Message {
  header: { format: string; text?: string; link?: string | null } | null;
  body: string;
  footer: string | null;
  buttons: { text: string; url?: unknown; phoneNumber?: unknown }[];
  /** When it came, ISO 8601. */
  at: string;
}

/** A message as its recipient's phone shows it. */
export function MessageBubble({ header, body, footer, buttons, at }: Message) {
  return (
    <div className={classes["bubble"]}>
      {header !== null && <MessageHeader {...header} />}
      <div className={classes["text"]}>
        <FormattedText text={body} />
      </div>
      {footer !== null && <div className={classes["footer"]}>{footer}</div>}
      <div className={classes["time"]}>
        <Moment at={at} />
      </div>
      {buttons.map((button, index) => (
        <MessageButton key={index} {...button} />
      ))}
    </div>
  );
}
