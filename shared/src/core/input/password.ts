import { z } from "zod";

export const shortestPassword = 10;
const longestPassword = 200;

/** A password as it is typed in to be checked: only bounded, so that a huge one costs nothing. */
export const passwordSchema = z.string().max(longestPassword, `Has at most ${longestPassword} characters`);

/** A password to be set. Whether it is a common one is for the server to say. */
export const newPasswordSchema = passwordSchema.refine(
  (password) => Array.from(password).length >= shortestPassword,
  `Must have at least ${shortestPassword} characters`,
);
