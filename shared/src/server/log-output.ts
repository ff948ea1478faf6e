import type { Writable } from "node:stream";
import type { DestinationStream } from "pino";

/** Bytes that may wait for whoever reads the log. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Lines to a stream such as stdout, without ever waiting for its reader: a pipe that nobody empties would otherwise stop the program
 * after 64 KB. Beyond `maxWaiting` bytes lines are left out, and their number is told once there is room again. That a reader is gone
 * is no error.
 */
export const logOutput = (stream: Writable, maxWaiting: number = MAX_WAITING_BYTES): DestinationStream => {
  let omitted = 0;
  stream.on("error", () => undefined);
  return {
    write: (line) => {
      if (stream.writableLength > maxWaiting) {
        omitted += 1;
        return;
      }
      if (omitted > 0) stream.write(omission(omitted));
      omitted = 0;
      stream.write(line);
    },
  };
};

const omission = (lines: number): string =>
  `${JSON.stringify({ level: "warn", time: new Date().toISOString(), pid: process.pid, lines, msg: "nobody read the log; lines left out" })}\n`;
