import { Pieces } from "./pieces.tsx";
import type { TextPiece } from "./text-piece.ts";
import classes from "./message-bubble.module.css";

interface MessageHeaderProps {
  format: string;
  text?: string | readonly TextPiece[];
  link?: string | null;
}

/**
 * A text header is bold. A picture that was uploaded here is shown; what lies elsewhere is named and linked, not loaded: whoever hosts it need not learn that the
 * dashboard is open.
 */
export function MessageHeader({ format, text, link }: MessageHeaderProps) {
  if (text !== undefined) return <div className={classes["header"]}>{typeof text === "string" ? text : <Pieces pieces={text} />}</div>;
  if (format === "IMAGE" && link?.startsWith("/")) return <img className={classes["picture"]} src={link} alt="Header" />;
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
