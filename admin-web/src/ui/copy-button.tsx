import { Button, type ButtonProps, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";

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
