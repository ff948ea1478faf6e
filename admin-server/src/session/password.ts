import { hash, verify } from "@node-rs/argon2";

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** An argon2id hash with its own salt and parameters. */
export const hashPassword = async (password: string): Promise<string> => hash(normal(password), parameters);

/** With `stored` undefined (no such user) it takes as long, and answers false. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const isRight = await verify(stored ?? (await nobodysHash), normal(password));
  return isRight && stored !== undefined;
}

const nobodysHash = hashPassword("a password that nobody has");

/** The same characters typed on another keyboard may come composed otherwise. */
function normal(password: string): string {
  return password.normalize("NFKC");
}
