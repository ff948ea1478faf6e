import { zxcvbn, zxcvbnOptions } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";

zxcvbnOptions.setOptions({ graphs: adjacencyGraphs, dictionary, l33tMaxSubstitutions: 4 });

/** The most characters that are judged: the time of an estimate grows with the square of the length, and more. */
const judgedLength = 24;
/** The least score: more than 10^8 guesses. */
const leastScore = 3;

export interface PasswordJudgement {
  /** The score of zxcvbn, from 0 to 4. */
  score: number;
  /** True if a new password may not be this one. */
  isWeak: boolean;
  /** The reason why it is weak, such as `topTen`; null if it is not, or no single reason stands out. */
  warning: string | null;
}

/** How hard a password is to guess; `words` are the user's own, such as their name. It takes a few milliseconds. */
export function judgePassword(password: string, words: readonly string[]): PasswordJudgement {
  const parts = words.map((word) => word.split(/[^\p{L}\p{N}]/u));
  const own = [...words, ...parts.flat(), ...parts.map((each) => each.join("")), "tidings"];
  const { score, feedback } = zxcvbn(password.slice(0, judgedLength), own);
  return { score, isWeak: score < leastScore, warning: feedback.warning };
}
