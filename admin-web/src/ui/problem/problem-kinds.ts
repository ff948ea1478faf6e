import type { ProblemKind, ProblemState } from "shared/core/problem/problem";
import { translated } from "../../language.ts";
import labels from "./problem-labels.json";

/** A kind of problems, as filters and channels choose it. */
export const kindLabel = (kind: ProblemKind): string => translated(labels.kinds[kind]);

export const stateLabel = (state: ProblemState | "all"): string => translated(labels.states[state]);
