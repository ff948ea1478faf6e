import { Progress, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useDeferredValue } from "react";
import { shortestPassword } from "shared/core/credentials";
import { judgePassword } from "shared/core/password";
import type { PasswordJudgement } from "shared/core/password-judge";
import { t } from "../../language.ts";
import { tableOf } from "../base/labels.ts";
import { Small } from "../base/page.tsx";
import passwordLabels from "./password-labels.json";

/** Screen readers hear the result when the typing rests, not at every key. */
const restMs = 700;
const colors = ["red", "red", "orange", "teal", "teal"];

export interface StrengthProps {
  password: string;
  /** The person's own words, as far as the page knows them. */
  words: readonly string[];
}

/** How hard a new password is to guess, judged as the server does. */
export function PasswordStrength({ password, words }: StrengthProps) {
  const judged = useDeferredValue(password);
  const judgement = judgePassword(judged, words);
  const advice = judged === "" ? "" : adviceOn(judged, judgement);
  const [heard] = useDebouncedValue(advice, restMs);
  return (
    <div>
      {judged !== "" && (
        <div aria-hidden>
          <Progress value={20 * (judgement.score + 1)} color={colors[judgement.score] ?? "teal"} size="xs" mt={4} />
          <Small mt={4}>{advice}</Small>
        </div>
      )}
      <VisuallyHidden role="status">{heard}</VisuallyHidden>
    </div>
  );
}

/** The fault of a password that would be refused, with advice; else how good it is. */
export function adviceOn(password: string, { score, isWeak, warning }: PasswordJudgement): string {
  if (isWeak) {
    const reason = reasons[warning ?? ""];
    return t("Easy to guess{value}. Add an unrelated word or two.", { value: reason === undefined ? "" : `: ${reason}` });
  }
  if (Array.from(password).length < shortestPassword) return t("Too short: at least {shortestPassword} characters.", { shortestPassword });
  return score === 4 ? t("Very hard to guess.") : t("Hard to guess.");
}

/** The reasons by zxcvbn's warnings. */
const reasons: Partial<Record<string, string>> = tableOf(passwordLabels);
