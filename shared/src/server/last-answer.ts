import type { Socket } from "node:net";

const closing = new WeakSet<Socket>();

/** Says that the answer to come is the connection's last: it carries `Connection: close`. */
export const closeAfter = (socket: Socket): void => void closing.add(socket);

/** Whether a request came after the last that is answered here. It must not be acted on (RFC 9112, 9.6): its client would never hear of it. */
export const isClosing = (socket: Socket): boolean => closing.has(socket);
