import type { zxcvbn, zxcvbnOptions } from "@zxcvbn-ts/core";
import type { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";

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

/** The library and its lists, which browsers and servers load in ways of their own. */
interface Guessing {
  zxcvbn: typeof zxcvbn;
  zxcvbnOptions: Pick<typeof zxcvbnOptions, "setOptions">;
  adjacencyGraphs: typeof adjacencyGraphs;
  dictionary: typeof dictionary;
}

/** Judges how hard a password is to guess; `words` are the user's own, such as their name. It takes a few milliseconds. */
export function createJudge(by: Guessing): (password: string, words: readonly string[]) => PasswordJudgement {
  by.zxcvbnOptions.setOptions({ graphs: by.adjacencyGraphs, dictionary: by.dictionary, l33tMaxSubstitutions: 4 });
  return (password, words) => {
    const parts = words.map((word) => word.split(/[^\p{L}\p{N}]/u));
    const own = [...words, ...parts.flat(), ...parts.map((each) => each.join("")), "tidings"];
    const { score, feedback } = by.zxcvbn(password.slice(0, judgedLength), own);
    return { score, isWeak: score < leastScore, warning: feedback.warning };
  };
}
