import type { ReactNode } from "react";
import type { TellableProblem } from "shared/core/problem/problem";
import { describeProblem, type ProblemWords, withMeanings } from "shared/core/problem/words";
import { formatMoment } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { useTold } from "../base/told.tsx";

/** The words of a problem in the reader's language. */
export function TranslatedProblem({ problem, children }: { problem: TellableProblem; children: (words: ProblemWords) => ReactNode }) {
  const { reason, said } = problem.kind === "connection_check" ? problem.detail : {};
  const told = useTold({ text: reason, said });
  const toldDetail = said === undefined ? problem : ({ ...problem, detail: { ...problem.detail, reason: told } } as TellableProblem);
  return children(describeProblem(withMeanings(toldDetail, translated, formatMoment), t));
}
