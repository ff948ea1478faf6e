import { LabelBadge } from "../label-badge.tsx";

const words: Record<string, { color: string; word: string; meaning: string }> = {
  GREEN: { color: "teal", word: "high", meaning: "Recipients rarely block or report it." },
  YELLOW: { color: "yellow", word: "medium", meaning: "Some recipients block or report it. If more do, the platform pauses it." },
  RED: { color: "red", word: "low", meaning: "Many recipients block or report it: the platform may pause it any time." },
};

/** The platform's score of a template, by how recipients take it; nothing before it has one. */
export function QualityBadge({ quality }: { quality: string | null }) {
  const known = words[quality ?? ""];
  if (known === undefined) return null;
  return (
    <span title={known.meaning}>
      <LabelBadge color={known.color}>{known.word}</LabelBadge>
    </span>
  );
}
