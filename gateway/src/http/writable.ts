import type { ServerResponse } from "node:http";

/** Whether there is still somebody to answer, and nothing has been answered yet. */
export const isWritable = (response: ServerResponse): boolean =>
  // One whose turn on its connection has not come yet has no socket.
  !response.writableEnded && !response.headersSent && !response.destroyed && (response.socket?.writable ?? true);
