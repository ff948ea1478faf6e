import { zxcvbn, zxcvbnOptions } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import { createJudge } from "./password-judge.ts";

/** Judges a password in the browser; servers use `isGuessable`. */
export const judgePassword = createJudge({ zxcvbn, zxcvbnOptions, adjacencyGraphs, dictionary });
