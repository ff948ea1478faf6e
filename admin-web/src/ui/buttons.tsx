import { Anchor, type AnchorProps, Button, type ButtonProps, Group, TextInput, type TextInputProps, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type ButtonLinkProps = ButtonProps & Omit<ComponentPropsWithRef<"a">, keyof ButtonProps>;

const AnchorButton = (props: ButtonLinkProps) => <Button component="a" {...props} />;

/** A link to another page that looks like a button. It knows what its page takes. */
export const ButtonLink: LinkComponent<typeof AnchorButton> = createLink(AnchorButton);

type TextLinkProps = AnchorProps & Omit<ComponentPropsWithRef<"a">, keyof AnchorProps>;

const Underlined = (props: TextLinkProps) => <Anchor underline="always" inherit {...props} />;

/** A link to another page in running text, of the text's own size. It knows what its page takes, which a link as an Anchor's component does not. */
export const TextLink: LinkComponent<typeof Underlined> = createLink(Underlined);

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
