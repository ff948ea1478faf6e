import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./process.ts";

interface Argon2 {
  hash: (password: string, options: { memoryCost: number; timeCost: number; parallelism: number }) => Promise<string>;
  verify: (hashed: string, password: string) => Promise<boolean>;
}

const argon2 = createRequire(join(root, "admin-server/package.json"))("@node-rs/argon2") as Argon2;

/**
 * Takes the package's place in a test's own process, where hundreds of people join: the least work of the algorithm, whatever is asked for. The real work
 * of a program is tested in e2e/start.
 */
export const hash = async (password: string): Promise<string> => argon2.hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });

export const { verify } = argon2;
