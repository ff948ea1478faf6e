interface Answered {
  chat: string | null;
  dryRun: boolean;
  recipientsSent: number;
  recipientsFailed: number;
}

export interface Outcome {
  text: string;
  color: "teal" | "red" | "yellow" | "gray";
}

/** What became of an event, in few words. */
export function outcomeWords({ chat, dryRun, recipientsSent: sent, recipientsFailed: failed }: Answered): Outcome {
  switch (chat) {
    case null:
      return { text: "being worked on", color: "gray" };
    case "no_bindings":
      return { text: "no binding fits", color: "gray" };
    case "skipped_no_config":
      return { text: "no platform connected", color: "yellow" };
    case "skipped_no_phone":
      return { text: "nobody to write to", color: "yellow" };
    case "sent":
      return { text: dryRun ? "would be sent" : messages(sent), color: "teal" };
    case "partial":
      return { text: dryRun ? "would be sent in part" : `${sent} of ${sent + failed} sent`, color: "yellow" };
    case "failed":
      return { text: dryRun ? "would fail" : `none of ${failed} sent`, color: "red" };
    default:
      return { text: chat, color: "gray" };
  }
}

const messages = (count: number): string => (count === 1 ? "1 message sent" : `${count} messages sent`);
