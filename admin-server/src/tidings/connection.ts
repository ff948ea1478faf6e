import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { allItems, askBy, Failed, type Login, read } from "../setup/elsewhere.ts";

/** The command was not used as it can be; the exit code is 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

const loginFile = (): string => join(homedir(), ".config", "tidings", "login.json");

/** A variable of the environment; an empty one is unset. */
export const variable = (name: string): string | undefined => process.env[name] || undefined;

/** @throws WrongUsage when it is no address; `name` is its option or variable */
export function requireAddress(url: string, name: string, example: string): void {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new WrongUsage(`${name} must be an address such as ${example}`);
}

/** `TIDINGS_URL` and `TIDINGS_TOKEN`, else what `tidings login` has kept. @throws WrongUsage without both */
export async function readLogin(): Promise<Login> {
  const text = await readFile(loginFile(), "utf8").catch(() => "");
  const kept = read<Partial<Login> | null>(text) ?? {};
  const url = variable("TIDINGS_URL") ?? kept.url;
  // A kept token goes to no other server than the one that it was kept for.
  const token = variable("TIDINGS_TOKEN") ?? (url === kept.url ? kept.token : undefined);
  if (url === undefined || token === undefined)
    throw new WrongUsage("You are not logged in: run `tidings login --url URL --token TOKEN`, or set TIDINGS_URL and TIDINGS_TOKEN");
  requireAddress(url, "TIDINGS_URL", "http://127.0.0.1:4001");
  return { url, token };
}

/** Keeps the login where only its owner can read it; answers the file. */
export async function keepLogin(login: Login): Promise<string> {
  const file = loginFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(login)}\n`, { mode: 0o600 });
  // A file that was there keeps its mode else.
  await chmod(file, 0o600);
  return file;
}

const answerMs = 60_000;

/** Calls a procedure of the REST API, which answers within `ms`. @throws Failed */
export const call = <Answer>(login: Login, path: string, input: object = {}, ms = answerMs): Promise<Answer> =>
  askBy(post, login, path, input, ms);

/** All items of a list. @throws Failed */
export const everyItem = <Item>(login: Login, path: string, filter: object = {}): Promise<Item[]> =>
  allItems((asked, input) => call(login, asked, input), path, filter);

/** @throws Failed when nobody answers */
export const post = (address: string, headers: Record<string, string>, body: Body, ms = answerMs) =>
  request(address, headers, body, AbortSignal.timeout(ms), async (answer) => ({ status: answer.status, text: await answer.text() }));

type Body = string | Uint8Array<ArrayBuffer>;

/** Posts a body, and reads the answer. @throws Failed when nobody answers */
export async function request<T>(
  address: string,
  headers: Record<string, string>,
  body: Body,
  signal: AbortSignal,
  readAnswer: (answer: Response) => Promise<T>,
): Promise<T> {
  const sent = new Headers();
  // The platform's own message would show the value.
  for (const [name, value] of Object.entries(headers))
    if (/^[\t\x20-\xff]*$/.test(value)) sent.set(name, value);
    else throw new WrongUsage(`${name} has characters that no header can have`);
  try {
    return await readAnswer(await fetch(address, { method: "POST", headers: sent, body, redirect: "error", signal }));
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Failed(
      `${new URL(address).origin} does not answer: ${cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message}`,
      "UNREACHABLE",
    );
  }
}
