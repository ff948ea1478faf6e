import { VisuallyHidden } from "@mantine/core";
import { type ReactNode, Fragment, useEffect, useRef } from "react";
import { Moment } from "./facts.tsx";
import type { Message, EmptySlot, TextPiece } from "./fill-message.ts";
import classes from "./message.module.css";

/** What a bubble lies on where no whole phone is drawn around it. */
export function ChatPaper({ children }: { children: ReactNode }) {
  return <div className={classes["paper"]}>{children}</div>;
}

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

/** The messenger's own marks: *bold*, _italic_, ~struck~, ```fixed```. A mark stands at a word's edge and encloses no blank at either end. */
const mark =
  /(?<![\p{L}\p{N}])(?:```(?<fixed>[^]+?)```|\*(?<bold>\S(?:[^\n*]*\S)?)\*|_(?<italic>\S(?:[^\n_]*\S)?)_|~(?<struck>\S(?:[^\n~]*\S)?)~)(?![\p{L}\p{N}])/gu;

/** Stands for an empty slot while the text around it is read, since marks may enclose it: characters that no text may hold. */
const placeholder = /\uFDD0(\d+)\uFDD1/u;

function FormattedText({ text }: { text: string | readonly TextPiece[] }) {
  const pieces = typeof text === "string" ? [text] : text;
  const slots = pieces.filter((piece) => typeof piece !== "string");
  const whole = pieces.map((piece) =>
    typeof piece === "string" ? piece.replaceAll(/[\uFDD0\uFDD1]/gu, "") : `\uFDD0${slots.indexOf(piece)}\uFDD1`,
  );
  return <Marked text={whole.join("")} slots={slots} />;
}

function Marked({ text, slots }: { text: string; slots: readonly EmptySlot[] }) {
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(mark)) {
    pieces.push(plain(text.slice(end, match.index), slots), marked(match.groups ?? {}, slots));
    end = match.index + match[0].length;
  }
  pieces.push(plain(text.slice(end), slots));
  return pieces.map((piece, index) => <Fragment key={index}>{piece}</Fragment>);
}

/** Split at the placeholders, every second piece is a slot's number. */
function plain(text: string, slots: readonly EmptySlot[]): ReactNode {
  return <Pieces pieces={text.split(placeholder).map((piece, index) => (index % 2 === 1 ? (slots[Number(piece)] ?? "") : piece))} />;
}

function marked({ fixed, bold, italic, struck }: Record<string, string | undefined>, slots: readonly EmptySlot[]): ReactNode {
  if (fixed !== undefined) return <code>{plain(fixed, slots)}</code>;
  if (bold !== undefined)
    return (
      <strong>
        <Marked text={bold} slots={slots} />
      </strong>
    );
  if (italic !== undefined)
    return (
      <em>
        <Marked text={italic} slots={slots} />
      </em>
    );
  return (
    <s>
      <Marked text={struck ?? ""} slots={slots} />
    </s>
  );
}

interface MessageButtonProps {
  text: string;
  url?: unknown;
  phoneNumber?: unknown;
  /** What is missing for it to work. */
  children?: ReactNode;
}

/** One of a message's buttons; it does what a tap would do where that is possible here. */
function MessageButton({ text, url, phoneNumber, children }: MessageButtonProps) {
  const target = targetOf(url, phoneNumber);
  return (
    <div className={classes["button"]}>
      {target === undefined ? (
        text
      ) : (
        <a href={target} title={target} target="_blank" rel="noreferrer">
          {text}
        </a>
      )}{" "}
      {children}
    </div>
  );
}

function targetOf(url: unknown, phoneNumber: unknown): string | undefined {
  if (typeof url === "string" && /^https?:\/\//iu.test(url)) return url;
  return typeof phoneNumber === "string" ? `tel:${phoneNumber}` : undefined;
}

interface MessageHeaderProps {
  format: string;
  text?: string | readonly TextPiece[];
  link?: string | null;
}

/**
 * A text header is bold. A picture that was uploaded here is shown; what lies elsewhere is named and linked, not loaded: whoever hosts it need not learn that the
 * dashboard is open.
 */
function MessageHeader({ format, text, link }: MessageHeaderProps) {
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

/** A text without marks, such as a header's. */
function Pieces({ pieces }: { pieces: readonly TextPiece[] }) {
  return pieces.map((piece, index) => <Fragment key={index}>{typeof piece === "string" ? piece : <EmptySlotMark {...piece} />}</Fragment>);
}

/** A slot that nothing fills: coloured for the eye, and told with its reason to who does not see it. */
function EmptySlotMark({ slot, reason }: EmptySlot) {
  return (
    <mark className={classes["empty"]} title={reason}>
      {slot}
      <VisuallyHidden> is empty: {reason} </VisuallyHidden>
    </mark>
  );
}

interface PhoneFrameProps {
  /** Whose chat it is. */
  title: string;
  /** Identifies the last message: when another comes, the chat scrolls down to it. */
  newest: string | undefined;
  children: ReactNode;
}

/** A phone with a chat on it. */
export function PhoneFrame({ title, newest, children }: PhoneFrameProps) {
  const chat = useRef<HTMLDivElement>(null);
  useEffect(() => {
    chat.current?.scrollTo({ top: chat.current.scrollHeight });
  }, [newest]);
  return (
    <div className={classes["phone"]}>
      <div className={classes["bar"]}>{title}</div>
      {/* What scrolls must be reachable by the keyboard too. */}
      <div className={classes["chat"]} ref={chat} role="log" aria-label={title} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}

/** A phone that shows how a message would look, as high as the message. */
export function PhonePreview({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={`${classes["phone"]} ${classes["still"]}`}>
      <div className={classes["bar"]}>{title}</div>
      <div className={classes["chat"]}>{children}</div>
    </div>
  );
}
