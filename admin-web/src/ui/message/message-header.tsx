import classes from "./message-bubble.module.css";

interface MessageHeaderProps {
  format: string;
  text?: string;
  link?: string | null;
}

/** A text header is bold. Media are named and linked, not loaded: whoever hosts them need not learn that the dashboard is open. */
export function MessageHeader({ format, text, link }: MessageHeaderProps) {
  if (text !== undefined) return <div className={classes["header"]}>{text}</div>;
  const name = format.charAt(0) + format.slice(1).toLowerCase();
  return (
    <div className={classes["media"]}>
      {link ? (
        <a href={link} target="_blank" rel="noreferrer">
          {name}
        </a>
      ) : (
        name
      )}
    </div>
  );
}
