import type { ReactNode } from "react";
import { describeFinding, type Finding, type FindingWords } from "shared/core/diagnosis";
import { t, translated } from "../language.ts";

interface Props {
  finding: Finding;
  children: (words: FindingWords) => ReactNode;
}

export const TranslatedFinding = ({ finding, children }: Props) => children(describeFinding(withMeaning(finding), t));

/** The finding with its fixed texts, such as the meaning of WhatsApp's code, in the reader's language. */
function withMeaning(finding: Finding): Finding {
  switch (finding.code) {
    case "platform_stopped":
      return { ...finding, title: translated(finding.title) };
    case "messages_failed":
      return { ...finding, title: translated(finding.title), explanation: inWords(finding.explanation) };
    case "requests_refused":
      return { ...finding, explanation: inWords(finding.explanation) };
    default:
      return finding;
  }
}

const inWords = ({ text, action }: FindingWords): FindingWords => ({ text: translated(text), action: translated(action) });
