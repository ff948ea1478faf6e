import { tmpdir } from "node:os";
import { join } from "node:path";
import { testMonth } from "./suite.ts";

await testMonth({ folder: join(tmpdir(), `tidings-lived-${process.pid}`), events: 1_000, today: 60, isThorough: false });
