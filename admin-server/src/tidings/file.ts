import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { type Setup, setupSchema } from "shared/core/input/setup";
import { type Document, LineCounter, parseDocument, stringify, isNode, isPair } from "yaml";
import { Failed, type Issue } from "../setup/elsewhere.ts";
import { WrongUsage } from "./connection.ts";

/** A set-up's file, and where its parts stand in it. */
export interface SetupFile {
  setup: Setup;
  /** The faults with the lines at which they are: `FILE:12: sites.0.url: Must be a URL …`. */
  placed: (issues: readonly Issue[]) => Issue[];
}

export async function readInput(file: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return Buffer.from(await (file === "-" ? buffer(process.stdin) : readFile(file)));
  } catch (error) {
    throw new WrongUsage(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Reads a set-up, YAML or JSON. @throws Failed with every fault and its line */
export async function readSetup(file: string): Promise<SetupFile> {
  const lines = new LineCounter();
  const document = parseDocument((await readInput(file)).toString("utf8"), { lineCounter: lines, logLevel: "error" });
  const lineOf = (path: (string | number)[]): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const line = lineAt(path.slice(0, length));
      if (line !== null) return line;
    }
    return 1;
  };
  const lineAt = (path: (string | number)[]): number | null => {
    const within = document.getIn(path.slice(0, -1), true) ?? document.contents;
    const pairs: unknown[] = isNode(within) && "items" in within ? (within.items as unknown[]) : [];
    const found = pairs.find((item) => isPair(item) && isNode(item.key) && String(item.key) === String(path.at(-1)));
    const node = isPair(found) ? found.key : document.getIn(path, true);
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : null;
  };
  const placed = (issues: readonly Issue[]): Issue[] =>
    issues.map(({ path, message }) => {
      const own = path[0] === "setup" ? path.slice(1) : path;
      const place = own.join(".");
      return {
        path: own,
        message: `${file}:${lineOf(own)}: ${place === "" || message.startsWith(`${place}: `) ? "" : `${place}: `}${message}`,
      };
    });
  const refuse = (issues: Issue[]): never => {
    throw new Failed(`${file} is no set-up that can be applied`, "BAD_REQUEST", issues);
  };
  if (document.errors.length > 0)
    return refuse(
      document.errors.slice(0, 20).map(({ message, linePos }) => ({
        path: [],
        message: `${file}:${linePos?.[0].line ?? 1}: ${message.split("\n")[0]?.replace(/ at line.*/, "")}`,
      })),
    );
  const read = setupSchema.safeParse(toValue(document, (message) => refuse([{ path: [], message: `${file}: ${message}` }])));
  if (read.success) return { setup: read.data, placed };
  const issues = read.error.issues.flatMap((issue): Issue[] => {
    const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({ path: [...path, key], message: "is not a member that a set-up has here" }));
  });
  return refuse(placed(issues));
}

/** An alias may stand for nothing, or for too much. */
function toValue(document: Document.Parsed, refuse: (message: string) => never): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

export const writeSetup = (setup: Setup): string => stringify(setup, { lineWidth: 0, aliasDuplicateObjects: false, compat: "yaml-1.1" });
