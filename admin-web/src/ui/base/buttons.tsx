import { Anchor, type AnchorProps, Button, type ButtonProps, Group, TextInput, type TextInputProps, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";
import { t } from "../../language.ts";

/** Any button but the main one of its place. */
export const SecondaryButton = Button.withProps({ variant: "default" });

/** One in a row or a card. */
export const SmallButton = Button.withProps({ variant: "default", size: "compact-sm" });

/** One without a border, where a link would be too much. */
export const QuietButton = Button.withProps({ variant: "subtle", color: "gray", c: "var(--mantine-color-text)", size: "compact-sm" });

const AnchorButton = (props: ButtonProps & Omit<ComponentPropsWithRef<"a">, keyof ButtonProps>) => <Button component="a" {...props} />;

/** A typed router link that looks like a button. */
export const ButtonLink: LinkComponent<typeof AnchorButton> = createLink(AnchorButton);

const Underlined = (props: AnchorProps & Omit<ComponentPropsWithRef<"a">, keyof AnchorProps>) => <Anchor inherit {...props} />;

/** A typed router link in running text; an Anchor with `component={Link}` loses the types of its route. */
export const TextLink: LinkComponent<typeof Underlined> = createLink(Underlined);

/** The style of a field with code. Its text stays as legible as it was where it is wrong, which is said below. */
export const monospace = {
  input: { color: "var(--mantine-color-text)", fontFamily: "var(--mantine-font-family-monospace)", fontSize: "0.8125rem" },
};

interface CopyFieldProps extends Omit<TextInputProps, "value" | "readOnly" | "onCopy"> {
  label: string;
  value: string;
  /** By the button or by hand. */
  onCopy?: () => void;
}

/** A read-only text with a copy button; a click selects all of it. */
export const CopyField = ({ label, value, onCopy, ...props }: CopyFieldProps) => (
  <Group gap="sm" align="flex-start">
    <TextInput
      label={label}
      readOnly
      value={value}
      flex="1 1 12rem"
      styles={monospace}
      onFocus={(event) => event.currentTarget.select()}
      {...(onCopy !== undefined && { onCopy })}
      {...props}
    />
    {/* Beside the field, whatever stands below it. */}
    <CopyButton text={value} what={label} onCopy={onCopy} mt={22} />
  </Group>
);

interface CopyButtonProps extends Pick<ButtonProps, "size" | "mt"> {
  text: string;
  label?: string;
  /** The name of the copied thing, for screen readers. */
  what?: string;
  onCopy?: (() => void) | undefined;
}

/** Copies `text`. Browsers have no clipboard over plain http; the label then asks to copy by hand. */
export function CopyButton({ text, label = t("Copy"), what, onCopy, ...button }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 3000 });
  const copy = () => {
    clipboard.copy(text);
    onCopy?.();
  };
  return (
    <SecondaryButton {...button} onClick={copy}>
      <span aria-live="polite">{labelFor(clipboard, label)}</span>
      {what !== undefined && <VisuallyHidden> {what}</VisuallyHidden>}
    </SecondaryButton>
  );
}

function labelFor({ copied, error }: { copied: boolean; error: Error | null }, label: string): string {
  if (error !== null) return t("Select the text and copy it");
  return copied ? t("Copied") : label;
}
