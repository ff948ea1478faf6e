export interface MessageParts {
  /** Words and breaks of header, body and footer, as they read. */
  text: string;
  /** Such as `IMAGE https://example.com/a.png`. */
  media: { kind: string; url: string | null } | null;
  buttons: { label: string; target: string | null }[];
}

const mediaLine = /^\[(IMAGE|VIDEO|DOCUMENT)\](?: (\S+))?$/u;
const buttonLine = /^\[([^\]]+)\](?: (\S.*))?$/u;

/** Takes the plain text of a whole message (see `renderText`) apart again: what is drawn as media, as text and as buttons. */
export function messageParts(whole: string): MessageParts {
  const paragraphs = whole.split("\n\n");
  const media = mediaLine.exec(paragraphs[0] ?? "");
  if (media !== null) paragraphs.shift();
  const last = (paragraphs.at(-1) ?? "").split("\n").map((line) => buttonLine.exec(line));
  const isButtons = paragraphs.length > 1 && last.every((match) => match !== null);
  return {
    text: (isButtons ? paragraphs.slice(0, -1) : paragraphs).join("\n\n"),
    media: media === null ? null : { kind: media[1] ?? "", url: media[2] ?? null },
    buttons: isButtons ? last.map((match) => ({ label: match?.[1] ?? "", target: match?.[2] ?? null })) : [],
  };
}
