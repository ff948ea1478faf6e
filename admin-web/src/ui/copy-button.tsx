import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";

/** Puts `text` on the clipboard. Over plain http browsers lend none, and it says so. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const clipboard = useClipboard({ timeout: 3000 });
  return (
    <Button variant="default" onClick={() => clipboard.copy(text)}>
      <span aria-live="polite">{wordsFor(clipboard, label)}</span>
    </Button>
  );
}

function wordsFor({ copied, error }: { copied: boolean; error: Error | null }, label: string): string {
  if (error !== null) return "Select and copy it by hand";
  return copied ? "Copied" : label;
}
