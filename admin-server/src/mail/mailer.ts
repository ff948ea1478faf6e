import { createHostCheck } from "shared/server/hosts";
import type { MailConfig } from "../config.ts";
import { htmlOf, type Letter, oneLine, textOf } from "./letter.ts";

export interface Mail {
  /** The part of the Message-ID before the @. A mail that is sent again has the same, so that a mailbox shows it once. */
  id: string;
  to: string;
  letter: Letter;
}

/** The server did not take a mail. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
  /** The code by which the outbox names the fault. */
  readonly code: "refused" | "login_refused" | "no_tls" | "timeout" | "unreachable";
  /** SMTP's reply code; null when there was none. */
  readonly statusCode: number | null;

  constructor(code: MailRefused["code"], statusCode: number | null, message: string) {
    super(message);
    this.code = code;
    this.statusCode = statusCode;
  }

  /** True if another attempt would end in the same way. */
  get isFinal(): boolean {
    return this.code === "refused" && this.statusCode !== null && this.statusCode >= 500;
  }
}

/** The time limit of a whole mail: shorter than its lease in the outbox, and than a server takes to stop. */
const wholeMs = 15_000;

/** Sends e-mails through one SMTP server. @param host The part of Message-IDs after the @. */
export function createMailer(config: MailConfig, host: string, limitMs = wholeMs) {
  // Without a mail server the library is not loaded.
  const opened = import("nodemailer").then(({ createTransport }) => createTransport({ ...connectionOf(config), ...limitsOf(limitMs) }));
  return {
    /** Resolves once the server has taken the mail. @throws MailRefused */
    send: async ({ id, to, letter }: Mail) => {
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
      } catch (error) {
        throw whole.aborted ? new MailRefused("timeout", null, `no answer within ${limitMs} ms`) : refusalOf(error);
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

/** Describes the refusal without address and login. */
function refusalOf(error: unknown): MailRefused {
  const { code, responseCode } = (error instanceof Error ? error : {}) as { code?: string; responseCode?: number };
  const statusCode = responseCode ?? null;
  if (code === "EAUTH") return new MailRefused("login_refused", statusCode, "the mail server refuses the login");
  if (code === "ETLS") return new MailRefused("no_tls", statusCode, "the mail server offers no TLS, which a login needs");
  if (code === "ETIMEDOUT") return new MailRefused("timeout", statusCode, "the mail server does not answer in time");
  if (statusCode !== null) return new MailRefused("refused", statusCode, `the mail server refuses the mail with ${statusCode}`);
  return new MailRefused("unreachable", null, `the mail server cannot be reached (${code ?? "no reason"})`);
}
