import type { ReactNode } from "react";
import type { TellableProblem } from "shared/core/problem/problem";
import { describeProblem, type ProblemWords, withMeanings } from "shared/core/problem/words";
import { formatMoment } from "../../format.ts";
import { t, translated } from "../../language.ts";

/** The words of a problem in the reader's language. */
export const TranslatedProblem = ({ problem, children }: { problem: TellableProblem; children: (words: ProblemWords) => ReactNode }) =>
  children(describeProblem(withMeanings(problem, translated, formatMoment), t));
