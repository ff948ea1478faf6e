import { Badge } from "@mantine/core";
import type { ReactNode } from "react";

/** A word about a thing, such as its state. The colour only repeats what the word says: it tells not everybody. */
export function LabelBadge({ color = "gray", children }: { color?: string; children: ReactNode }) {
  return (
    <Badge variant="outline" color={color} c="var(--mantine-color-text)" tt="none" fw={500} miw="max-content">
      {children}
    </Badge>
  );
}
