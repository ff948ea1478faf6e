import {
  Button,
  type ButtonProps,
  Group,
  TextInput,
  type TextInputProps,
  VisuallyHidden,
  Card,
  Table,
  Timeline,
  type TimelineProps,
  Anchor,
  type AnchorProps,
} from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import { type ComponentPropsWithRef, type ReactNode, useState } from "react";
import { formatExactTime, formatSeconds, formatTime } from "../format.ts";
import { LabelBadge } from "./words.tsx";
import classes from "./ui.module.css";

type ButtonLinkProps = ButtonProps & Omit<ComponentPropsWithRef<"a">, keyof ButtonProps>;

const AnchorButton = (props: ButtonLinkProps) => <Button component="a" {...props} />;

/** A link to another page that looks like a button. It knows what its page takes. */
export const ButtonLink: LinkComponent<typeof AnchorButton> = createLink(AnchorButton);

interface CopyFieldProps extends Omit<TextInputProps, "value" | "readOnly"> {
  label: string;
  value: string;
}

/** A text to be taken from the page whole: marked at a click, copied by a button. */
export function CopyField({ label, value, ...props }: CopyFieldProps) {
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        label={label}
        readOnly
        value={value}
        flex="1 1 12rem"
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: "0.8125rem" } }}
        onFocus={(event) => event.currentTarget.select()}
        {...props}
      />
      <CopyButton text={value} what={label} />
    </Group>
  );
}

interface CopyButtonProps {
  text: string;
  label?: string;
  /** What is copied, read out after the label where several stand together. */
  what?: string;
  size?: ButtonProps["size"];
}

/** Puts `text` on the clipboard. Over plain http browsers lend none, and it says so. */
export function CopyButton({ text, label = "Copy", what, size = "sm" }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 3000 });
  return (
    <Button variant="default" size={size} onClick={() => clipboard.copy(text)}>
      <span aria-live="polite">{wordsFor(clipboard, label)}</span>
      {what !== undefined && <VisuallyHidden> {what}</VisuallyHidden>}
    </Button>
  );
}

function wordsFor({ copied, error }: { copied: boolean; error: Error | null }, label: string): string {
  if (error !== null) return "Select and copy it by hand";
  return copied ? "Copied" : label;
}

export interface Column<Row> {
  /** Stands above the column, or before the value where the window is narrow. Of buttons it is read out only. */
  name: string;
  cell: (row: Row) => ReactNode;
  /** `short`: of one line. */
  kind?: "title" | "short" | "buttons";
}

interface DataTableProps<Row> {
  /** What is listed, for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
}

/** Rows under headings; where the window is narrow each row is a card. */
export function DataTable<Row>({ label, columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    <Card withBorder padding={0} className={classes["card"] ?? ""}>
      {/* A table that is laid out otherwise is no table any more to some screen readers, unless its parts say so. */}
      <Table role="table" aria-label={label} className={classes["table"]} verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ name, kind }) => (
              <Table.Th key={name} role="columnheader" scope="col">
                {kind === "buttons" ? <span className={classes["unseen"]}>{name}</span> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} role="row">
              {columns.map(({ name, cell, kind }) => (
                <Table.Td key={name} role="cell" data-label={kind === "title" || kind === "buttons" ? undefined : name} data-kind={kind}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

/** A timeline whose items stand close together. */
export const DenseTimeline = (props: TimelineProps) => <Timeline lineWidth={2} classNames={{ item: classes["item"] ?? "" }} {...props} />;

interface DownloadButtonProps extends ButtonProps {
  fileName: string;
  /** What the file holds. It is made on the page: nothing is fetched. */
  text: string;
}

export function DownloadButton({ fileName, text, ...props }: DownloadButtonProps) {
  return <Button variant="default" {...props} onClick={() => save(fileName, text)} />;
}

function save(fileName: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href, download: fileName }).click();
  URL.revokeObjectURL(href);
}

/** What is known of a thing, a `Fact` each. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={classes["facts"]}>{children}</dl>;

/** What there is not (null, false or an empty text) is left out. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === "") return null;
  return (
    <div className={classes["fact"]}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Until when something may be used. `at`: ISO 8601, null for no end. */
export function GoodUntil({ at }: { at: string | null }) {
  const [now] = useState(Date.now);
  if (at === null) return "no end";
  return Date.parse(at) > now ? <Moment at={at} /> : <LabelBadge color="red">expired</LabelBadge>;
}

/** An instant in the reader's own zone and words, exact to the second on hover and for machines. `at`: ISO 8601. `seconds`: they matter here. */
export function Moment({ at, seconds = false }: { at: string; seconds?: boolean }) {
  return (
    <time dateTime={at} title={formatExactTime(at)}>
      {seconds ? formatSeconds(at) : formatTime(at)}
    </time>
  );
}

type TextLinkProps = AnchorProps & Omit<ComponentPropsWithRef<"a">, keyof AnchorProps>;

const Underlined = (props: TextLinkProps) => <Anchor underline="always" inherit {...props} />;

/** A link to another page in running text, of the text's own size. It knows what its page takes, which a link as an Anchor's component does not. */
export const TextLink: LinkComponent<typeof Underlined> = createLink(Underlined);
