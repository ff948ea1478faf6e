import { FormattedText } from "./formatted-text.tsx";
import { messageParts } from "./message-parts.ts";
import { Moment } from "./moment.tsx";
import classes from "./message-bubble.module.css";

/** A message as its recipient's phone shows it. `text`: the whole message; `at`: when it came, ISO 8601. */
export function MessageBubble({ text, at }: { text: string; at: string }) {
  const { text: words, media, buttons } = messageParts(text);
  return (
    <div className={classes["bubble"]}>
      {media !== null && (
        <div className={classes["media"]}>
          {media.kind.toLowerCase()}
          {media.url !== null && <small>{media.url}</small>}
        </div>
      )}
      <div className={classes["text"]}>
        <FormattedText text={words} />
      </div>
      <div className={classes["time"]}>
        <Moment at={at} />
      </div>
      {buttons.map(({ label, target }, index) => (
        <div key={index} className={classes["button"]} title={target ?? label}>
          {target !== null && /^https?:/u.test(target) ? (
            <a href={target} target="_blank" rel="noreferrer">
              {label}
            </a>
          ) : (
            <span>{label}</span>
          )}
        </div>
      ))}
    </div>
  );
}
