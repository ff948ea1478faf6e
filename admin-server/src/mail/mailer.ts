import { createHostCheck } from "shared/server/hosts";
import type { MailConfig } from "../config.ts";
import { htmlOf, type Letter, oneLine, textOf } from "./letter.ts";

export interface Mail {
  /** The part of the Message-ID before the @. A mail that is sent again has the same, so that a mailbox shows it once. */
  id: string;
  to: string;
  letter: Letter;
}

/** What came of a mail. */
export interface MailTry {
  /** The code by which the outbox names the fault; null: the server has taken the mail. */
  error: string | null;
  /** SMTP's reply code to what was not taken; null when there was none. */
  statusCode: number | null;
  /** True if another attempt would end in the same way. */
  isFinal: boolean;
}

/** The time limit of a whole mail: shorter than its lease in the outbox, and than a server takes to stop. */
const wholeMs = 15_000;

/** Sends e-mails through one SMTP server. @param host The part of Message-IDs after the @. */
export function createMailer(config: MailConfig, host: string, limitMs = wholeMs) {
  // Without a mail server the library is not loaded.
  const opened = import("nodemailer").then(({ createTransport }) => createTransport({ ...connectionOf(config), ...limitsOf(limitMs) }));
  return {
    /** Answers once the server has taken the mail, or will not. Never throws for the sake of the server. */
    send: async ({ id, to, letter }: Mail): Promise<MailTry> => {
      const whole = AbortSignal.timeout(limitMs);
      try {
        const transport = await opened;
        await transport.sendMail({
          // Name and address are parts, which are never parsed: a name cannot become a further address.
          from: { name: config.from.name, address: config.from.address },
          to: { name: "", address: to },
          envelope: { from: config.from.address, to: [to] },
          subject: oneLine(letter.subject),
          text: textOf(letter),
          html: htmlOf(letter),
          messageId: `<${id}@${host}>`,
          headers: { "Auto-Submitted": "auto-generated" },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: whole,
        });
        return { error: null, statusCode: null, isFinal: false };
      } catch (error) {
        return whole.aborted ? { error: "timeout", statusCode: null, isFinal: false } : faultOf(error);
      }
    },
    close: () => void opened.then((transport) => transport.close()),
  };
}
export type Mailer = ReturnType<typeof createMailer>;

/** The connection to the server. A password never leaves in the clear, except on this machine, where no certificate is asked for either. */
export function connectionOf({ host, port, secure, login }: Omit<MailConfig, "from">) {
  const isHere = createHostCheck([])(host);
  return {
    host,
    port,
    secure,
    requireTLS: login !== null && !secure && !isHere,
    tls: { rejectUnauthorized: !isHere, minVersion: "TLSv1.2" as const },
    ...(login !== null && { auth: { user: login.user, pass: login.password } }),
  };
}

const limitsOf = (ms: number) => ({
  connectionTimeout: ms / 3,
  greetingTimeout: ms / 3,
  socketTimeout: ms,
  dnsTimeout: ms / 3,
  maxResponseSize: 65_536,
});

/** The fault without address and login, which the error's message may hold. */
function faultOf(error: unknown): MailTry {
  const { code = "", responseCode: statusCode = null } = (error instanceof Error ? error : {}) as { code?: string; responseCode?: number };
  const fault = faults[code] ?? (statusCode === null ? "unreachable" : "refused");
  return { error: fault, statusCode, isFinal: fault === "refused" && statusCode !== null && statusCode >= 500 };
}

const faults: Partial<Record<string, string>> = { EAUTH: "login_refused", ETLS: "no_tls", ETIMEDOUT: "timeout" };
