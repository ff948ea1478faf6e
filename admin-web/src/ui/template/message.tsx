import { Box, Image, Stack, type StackProps, VisuallyHidden } from "@mantine/core";
import { type ReactNode, Fragment, useEffect, useRef } from "react";
import { t } from "../../language.ts";
import { Moment } from "../base/facts.tsx";
import type { Message, EmptySlot, TextPiece } from "./fill-message.ts";
import classes from "./message.module.css";

/** The background of a bubble outside a phone. */
export const ChatPaper = ({ children }: { children: ReactNode }) => (
  <Box p="md" bdrs="var(--mantine-radius-default)" className={classes["paper"] ?? ""}>
    {children}
  </Box>
);

/** A message as on the recipient's phone. Variables without a value stand out, with the reason. */
export const MessageBubble = ({ header, body, footer, buttons, at }: Message) => (
  <Box maw="19rem" w="fit-content" fz="0.9rem" lh={1.4} className={classes["bubble"] ?? ""}>
    {header !== null && <MessageHeader {...header} />}
    <div className={classes["text"]} style={{ whiteSpace: "pre-wrap" }}>
      <FormattedText text={body} />
    </div>
    {footer !== null && (
      <Box pt="0.25rem" fz="0.8rem" c="var(--quiet)" className={classes["text"] ?? ""}>
        {footer}
      </Box>
    )}
    <Box px="0.6rem" pb="0.35rem" ta="end" fz="0.72rem" c="var(--quiet)">
      {at !== undefined && <Moment at={at} />}
    </Box>
    {buttons.map(({ empty, ...button }, index) => (
      <MessageButton key={index} {...button}>
        {empty !== undefined && <EmptySlotMark {...empty} />}
      </MessageButton>
    ))}
  </Box>
);

/** WhatsApp's formatting: *bold*, _italic_, ~strikethrough~, ```monospace```. A mark is at the edge of a word and has no space inside. */
const mark =
  /(?<![\p{L}\p{N}])(?:```(?<fixed>[^]+?)```|\*(?<bold>\S(?:[^\n*]*\S)?)\*|_(?<italic>\S(?:[^\n_]*\S)?)_|~(?<struck>\S(?:[^\n~]*\S)?)~)(?![\p{L}\p{N}])/gu;

/** Placeholders for variables without a value while marks are parsed: characters that no text contains. */
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

/** Splits at placeholders: every second piece is the number of a variable. */
function plain(text: string, slots: readonly EmptySlot[]): ReactNode {
  return <Pieces pieces={text.split(placeholder).map((piece, index) => (index % 2 === 1 ? (slots[Number(piece)] ?? "") : piece))} />;
}

function marked({ fixed, bold, italic, struck }: Record<string, string | undefined>, slots: readonly EmptySlot[]): ReactNode {
  if (fixed !== undefined) return <code>{plain(fixed, slots)}</code>;
  const Tag = bold !== undefined ? "strong" : italic !== undefined ? "em" : "s";
  return (
    <Tag>
      <Marked text={bold ?? italic ?? struck ?? ""} slots={slots} />
    </Tag>
  );
}

interface MessageButtonProps {
  text: string;
  url?: unknown;
  phoneNumber?: unknown;
  /** The mark of the variable without a value in its URL. */
  children?: ReactNode;
}

/** A button of the message; it opens its link where the browser can. */
function MessageButton({ text, url, phoneNumber, children }: MessageButtonProps) {
  const target = targetOf(url, phoneNumber);
  return (
    <Box px="0.6rem" py="0.5rem" ta="center" style={{ borderTop: "1px solid var(--line)" }}>
      <a href={target} title={target} target="_blank" rel="noreferrer">
        {text}
      </a>{" "}
      {children}
    </Box>
  );
}

function targetOf(url: unknown, phoneNumber: unknown): string | undefined {
  if (typeof url === "string" && /^https?:\/\//iu.test(url)) return url;
  return typeof phoneNumber === "string" ? `tel:${phoneNumber}` : undefined;
}

/** Only uploaded pictures load. Other files are links, so that their host does not learn that the dashboard is open. */
function MessageHeader({ format, text, link }: { format: string; text?: string | readonly TextPiece[]; link?: string | null }) {
  if (text !== undefined)
    return (
      <Box fw={600} className={classes["text"] ?? ""}>
        {typeof text === "string" ? text : <Pieces pieces={text} />}
      </Box>
    );
  if (format === "IMAGE" && link?.startsWith("/")) return <Image mah="12rem" src={link} alt={t("Header")} />;
  const name = format.charAt(0) + format.slice(1).toLowerCase();
  return (
    <Box px="0.6rem" py="1.5rem" ta="center" bg="var(--line)">
      <a href={link ?? undefined} target="_blank" rel="noreferrer">
        {name}
      </a>
    </Box>
  );
}

/** A text without formatting, such as a header's. */
const Pieces = ({ pieces }: { pieces: readonly TextPiece[] }) =>
  pieces.map((piece, index) => <Fragment key={index}>{typeof piece === "string" ? piece : <EmptySlotMark {...piece} />}</Fragment>);

/** A variable without a value: highlighted, with its reason for screen readers. */
const EmptySlotMark = ({ slot, reason }: EmptySlot) => (
  <mark className={classes["empty"]} title={reason}>
    {slot}
    <VisuallyHidden>{t(" is empty: {reason} ", { reason })}</VisuallyHidden>
  </mark>
);

/** `newest`: the ID of the last message: the chat scrolls down when it changes. */
export function PhoneFrame({ title, newest, children }: { title: string; newest: string | undefined; children: ReactNode }) {
  const chat = useRef<HTMLDivElement>(null);
  useEffect(() => {
    chat.current?.scrollTo({ top: chat.current.scrollHeight });
  }, [newest]);
  return (
    // The region takes the focus, so that the keyboard can scroll it too.
    <PhonePreview title={title} h="34rem" mih={0} ref={chat} role="log" aria-label={title} tabIndex={0}>
      {children}
    </PhonePreview>
  );
}

/** A phone as high as its one message unless `h` is given; the other properties are those of the chat. */
export const PhonePreview = ({ title, h, children, ...chat }: StackProps & { title: string }) => (
  <Stack gap={0} w="100%" maw="24rem" h={h} mx="auto" className={classes["phone"] ?? ""}>
    <Box px="0.9rem" py="0.6rem" fw={600} bg="#075e54" c="#ffffff" style={{ overflowWrap: "anywhere" }}>
      <bdi>{title}</bdi>
    </Box>
    <Stack gap="0.5rem" p="0.75rem" flex={1} mih="11rem" style={{ overflowY: "auto" }} className={classes["paper"] ?? ""} {...chat}>
      {children}
    </Stack>
  </Stack>
);
