import type IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";

/** Something that the palette leads to or does. */
export interface PaletteEntry {
  id: string;
  label: string;
  /** Said beside it in smaller letters, and searched too. */
  hint?: string | undefined;
  icon: typeof IconUsers;
  run: () => void;
  /** Whether the palette stays open, to show what comes of it. */
  stays?: boolean;
}

export interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}
