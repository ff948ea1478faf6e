import { tmpdir } from "node:os";
import { join } from "node:path";
import { testMonth } from "./suite.ts";

await testMonth({ folder: join(tmpdir(), `tidings-lived-${process.pid}`), events: 1_500, today: 120, isThorough: false });
