import { useState } from "react";
import type { PaletteEntry } from "./palette-entry.ts";

/** Which of the entries Enter would run: the first until another is chosen, and again when that is gone. */
export function useActive(entries: PaletteEntry[]) {
  const [chosen, setChosen] = useState<string | null>(null);
  const index = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosen),
  );
  const move = (by: number) => setChosen(entries[(index + by + entries.length) % entries.length]?.id ?? null);
  return { active: entries[index], choose: setChosen, move };
}
