import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setClock } from "./clock.ts";

/** A program that makes days 1 to 29 of an installation: its folder, the number of events, and the port of the customers' backends. */
const [folder = "", events = "", backendPort = ""] = process.argv.slice(2);

const now = new Date();
await setClock(null, now);
// What reads the clock is loaded after it.
const { liveMonth } = await import("./month.ts");
const world = await liveMonth({ folder, events: Number(events), backendPort: Number(backendPort), now });
await writeFile(join(folder, "world.json"), JSON.stringify(world, null, 2));
