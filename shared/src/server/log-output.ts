import type { Writable } from "node:stream";
import type { DestinationStream } from "pino";

/** Bytes that may wait for whoever reads the log. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Lines to a stream such as stdout, without ever waiting for its reader: a pipe that nobody empties would otherwise stop the program
 * after 64 KB. Beyond `maxWaiting` bytes lines are left out, and their number is told once there is room again. That a reader is gone
 * is no error. The lines of one turn of the event loop are written together, the last ones when the process exits.
 */
export const logOutput = (stream: Writable, maxWaiting: number = MAX_WAITING_BYTES): DestinationStream => {
  let lines = "";
  let omitted = 0;
  const flush = (): void => {
    const written = lines;
    lines = "";
    if (written !== "") stream.write(written);
  };
  stream.on("error", () => undefined);
  process.once("exit", flush);
  return {
    write: (line) => {
      if (stream.writableLength + lines.length > maxWaiting) {
        omitted += 1;
        return;
      }
      if (lines === "") setImmediate(flush);
      lines += omitted > 0 ? omission(omitted) + line : line;
      omitted = 0;
    },
  };
};

const omission = (lines: number): string =>
  `${JSON.stringify({ level: "warn", time: new Date().toISOString(), pid: process.pid, lines, msg: "nobody read the log; lines left out" })}\n`;
