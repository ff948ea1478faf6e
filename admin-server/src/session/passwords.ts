import { hash, verify } from "@node-rs/argon2";
import { say } from "shared/core/wording";
import { isGuessable } from "shared/guessable-password";
import { invalidInput } from "../trpc/errors.ts";
import { inTurn } from "./turns.ts";

/** @throws TRPCError BAD_REQUEST at the input's member `name` */
export function requireStrongPassword(password: string, words: readonly string[], name = "password"): void {
  if (isGuessable(password, words)) throw invalidInput([{ path: [name], said: weakPassword }]);
}

export const weakPassword = say("Is easy to guess: make it longer, or use several unrelated words");

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** An argon2id hash with its own salt and parameters. @throws TRPCError SERVICE_UNAVAILABLE when too many wait */
export const hashPassword = async (password: string): Promise<string> => inTurn(null, () => hash(normal(password), parameters));

/** False after the same work when `stored` is undefined (no such user). To be called in turn, as `guarded` does. */
export const isPassword = async (password: string, stored: string | undefined): Promise<boolean> =>
  (await verify(stored ?? (await nobodysHash), normal(password))) && stored !== undefined;

const nobodysHash = hash("a password that nobody has", parameters);

/** The text in one form, since keyboards compose the same characters differently. */
const normal = (password: string): string => password.normalize("NFKC");
