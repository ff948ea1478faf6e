import type { ReactNode } from "react";
import { describeFinding, type Finding, type FindingWords } from "shared/core/diagnosis";
import { t, translated } from "../language.ts";

interface Props {
  finding: Finding;
  children: (words: FindingWords) => ReactNode;
}

export const TranslatedFinding = ({ finding, children }: Props) => children(describeFinding(withMeaning(finding), t));

/** The finding with the meaning of WhatsApp's code in the reader's language. */
function withMeaning(finding: Finding): Finding {
  if (finding.code === "platform_stopped") return { ...finding, title: translated(finding.title) };
  if (finding.code !== "messages_failed") return finding;
  const { text, action } = finding.explanation;
  return { ...finding, title: translated(finding.title), explanation: { text: translated(text), action: translated(action) } };
}
