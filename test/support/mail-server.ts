import type { AddressInfo } from "node:net";
import type { MailConfig } from "admin-server/config";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { waitFor } from "./wait-for.ts";

/** A mail in the form in which its server got it. */
export interface ReceivedMail {
  /** The recipients of the envelope. */
  to: string[];
  /** The headers, unfolded, in their order. */
  headers: { name: string; value: string }[];
  /** Both parts of the body, decoded. */
  body: string;
  /** True if the mail came over TLS. */
  secure: boolean;
  /** The user who signed in. */
  user: string | undefined;
}

export interface MailServer extends AsyncDisposable {
  config: MailConfig;
  received: ReceivedMail[];
  /** The mails to that address, once there are this many, without those that prove the address of a new account. */
  mailsTo(address: string, count?: number): Promise<ReceivedMail[]>;
  /** Those that prove it. */
  proofsTo(address: string, count?: number): Promise<ReceivedMail[]>;
  /** Replaces the answers to recipients: an error refuses with its `responseCode`, a promise that never ends hangs. */
  script(next: (to: string) => Promise<Error | null>): void;
}

/** A mail server on loopback. `options` may ask for a login, or offer TLS or none. */
export async function startMailServer(options: SMTPServerOptions = { authOptional: true }): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let script = async (_to: string): Promise<Error | null> => Promise.resolve(null);
  const answer = async (address: string, callback: (error: Error | null) => void): Promise<void> => callback(await script(address));
  const server = new SMTPServer({
    ...options,
    logger: false,
    onRcptTo: ({ address }, _session, callback) => void answer(address, callback),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, ...parse(Buffer.concat(chunks).toString()), secure: session.secure, user: session.user as string | undefined });
        callback();
      });
    },
  });
  const mailsOf = async (address: string, areProofs: boolean, count = 1): Promise<ReceivedMail[]> =>
    waitFor(`${count} mails to ${address}`, () => {
      const mails = received.filter((mail) => mail.to.includes(address) && isProof(mail) === areProofs);
      return mails.length >= count && mails;
    });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    config: { host: "127.0.0.1", port, secure: false, login: null, from: { name: "Tidings", address: "tidings@example.com" } },
    received,
    mailsTo: (address, count) => mailsOf(address, false, count),
    proofsTo: (address, count) => mailsOf(address, true, count),
    script: (next) => void (script = next),
    [Symbol.asyncDispose]: async () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function parse(raw: string): Pick<ReceivedMail, "headers" | "body"> {
  const end = raw.indexOf("\r\n\r\n");
  const headers = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .map((line) => ({ name: line.slice(0, line.indexOf(":")).toLowerCase(), value: line.slice(line.indexOf(":") + 1).trim() }));
  const body = raw
    .slice(end)
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return { headers, body };
}

const isProof = (mail: ReceivedMail): boolean => headerOf(mail, "subject") === "Confirm your address for Tidings";

export const headerOf = ({ headers }: ReceivedMail, name: string): string | undefined => headers.find((each) => each.name === name)?.value;
