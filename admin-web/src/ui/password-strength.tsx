import { Progress, Text, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useDeferredValue } from "react";
import { shortestPassword } from "shared/core/input/team";
import { judgePassword, type PasswordJudgement } from "shared/core/password";

/** Screen readers hear the result when the typing rests, not at every key. */
const restMs = 700;
const colors = ["red", "red", "orange", "teal", "teal"];

export interface StrengthProps {
  password: string;
  /** The person's own, as far as the page knows them. */
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
          <Text size="xs" c="dimmed" mt={4}>
            {advice}
          </Text>
        </div>
      )}
      <VisuallyHidden role="status">{heard}</VisuallyHidden>
    </div>
  );
}

/** What is wrong with a password that would be refused, and what to do; else how good it is. */
export function adviceOn(password: string, { score, isWeak, warning }: PasswordJudgement): string {
  if (isWeak) {
    const reason = reasons[warning ?? ""];
    return `Easy to guess${reason === undefined ? "" : `: ${reason}`}. Add an unrelated word or two.`;
  }
  if (Array.from(password).length < shortestPassword) return `Too short: at least ${shortestPassword} characters.`;
  return score === 4 ? "Very hard to guess." : "Hard to guess.";
}

/** By zxcvbn's warnings. */
const reasons: Partial<Record<string, string>> = {
  straightRow: "keys in a row",
  keyPattern: "a pattern on the keyboard",
  simpleRepeat: "a repetition",
  extendedRepeat: "a repetition",
  sequences: "a sequence such as abc or 6543",
  recentYears: "a year",
  dates: "a date",
  topTen: "many people use it",
  topHundred: "many people use it",
  common: "many people use it",
  similarToCommon: "many people use one like it",
  wordByItself: "a single word",
  namesByThemselves: "a name",
  commonNames: "a name",
  userInputs: "it has your own name, address or company",
};
