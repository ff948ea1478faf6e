import { readdirSync } from "node:fs";
import { join } from "node:path";

// The whole run has the tests of all pages in one file: each worker that ran some of them would start a browser, make an installation and load the dashboard of its own.
const folder = import.meta.dirname;
for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted())
  if (file.endsWith(".test.ts")) await import(join(folder, file));
