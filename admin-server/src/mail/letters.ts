import { numberInText } from "shared/core/phone-in-text";
import { type Letter, oneLine } from "./letter.ts";

/**
 * An account's name in a mail: cut short so that it cannot say something else in a mailbox's list, and without anything that a mail client makes a link of,
 * such as addresses, hosts and phones.
 */
export function shown(name: string): string {
  const line = oneLine(name.normalize("NFKC"))
    .replaceAll(/[\u3002\uff61]/g, ".")
    .replaceAll(/[@:/\\<>[\]]+|\.(?=\S)/g, " ")
    .replaceAll(numberInText, "… ")
    .replaceAll(/\p{Nd}[\p{Nd}\s().+-]{4,}/gu, "… ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line;
}

const nobodyKnown = "Someone who has not confirmed their e-mail address";

/** `inviter`: their address; null if they have not shown that it is theirs. */
export const invitationLetter = ({ account, inviter, url }: { account: string; inviter: string | null; url: string }): Letter => ({
  subject: `Invitation to ${shown(account)} on Tidings`,
  paragraphs: [
    `${inviter ?? nobodyKnown} invites you to the account ${shown(account)} on Tidings, which sends messages for shops.`,
    { link: url, label: "Accept the invitation" },
    "The link works once, for seven days. If you do not know the sender, ignore this e-mail.",
  ],
});

export const proofLetter = ({ url }: { url: string }): Letter => ({
  subject: "Confirm your address for Tidings",
  paragraphs: [
    "Someone has opened an account on Tidings, which sends messages for shops, with this address.",
    { link: url, label: "This is my address" },
    "The link is valid for three days. If it was not you, do nothing: the account can write to nobody.",
  ],
});

export const resetLetter = ({ url, hours, by }: { url: string; hours: number; by: string | null }): Letter => ({
  subject: "Set a new password for Tidings",
  paragraphs: [
    by === null ? "Someone requested a new password for your address." : `${by} created a link for you to set a new password.`,
    { link: url, label: "Set a new password" },
    `The link works once, for ${hours === 1 ? "an hour" : `${hours} hours`}. Setting the password signs you out on all devices.`,
    by === null
      ? "If this was not you, ignore this e-mail: your password stays the same."
      : "If you did not ask for it, ignore this e-mail and tell an owner of your account: your password stays the same.",
  ],
});

export const confirmationLetter = ({ account, by, url }: { account: string; by: string | null; url: string }): Letter => ({
  subject: `Alerts of ${shown(account)} on Tidings`,
  paragraphs: [
    `${by ?? nobodyKnown} wants to send you alerts by e-mail when something is wrong with the messages of the account ${shown(account)} on Tidings.`,
    { link: url, label: "Get these e-mails" },
    "The link is valid for three days. If you do not want these e-mails, ignore this one: you get no more.",
  ],
});

export const newAddressLetter = ({ url, from }: { url: string; from: string }): Letter => ({
  subject: "Your new address for Tidings",
  paragraphs: [
    `${from} wants to sign in to Tidings with this address from now on.`,
    { link: url, label: "Use this address" },
    "The link is valid for an hour, and once. If it was not you, do nothing: nothing changes.",
  ],
});

export const addressChangedLetter = ({ to }: { to: string }): Letter => ({
  subject: "Your address for Tidings has changed",
  paragraphs: [
    `You sign in to Tidings as ${to} from now on, and no longer with this address.`,
    "If it was not you, tell an owner of your account at once: they can end your sessions and send you a new link.",
  ],
});

interface Week {
  account: string;
  /** The first and the last day, as YYYY-MM-DD. */
  days: [string, string];
  figures: { messages: number; delivered: number; read: number; failed: number };
  /** Why most of them failed. */
  reasons: readonly string[];
  /** How many problems opened, and how many of all are open now. */
  problems: { opened: number; open: number };
  url: string;
}

export const weekLetter = ({ account, days: [first, last], figures, reasons, problems, url }: Week): Letter => ({
  subject: `${shown(account)}: the week from ${first} to ${last}`,
  paragraphs: [
    {
      lines: [
        `${figures.messages} messages`,
        `${figures.delivered} delivered (${figures.read} of them read)`,
        `${figures.failed} failed`,
        ...reasons.map((reason) => `Failed: ${reason}`),
        `${problems.opened} problems opened; ${problems.open} are open now`,
      ],
    },
    { link: `${url}/statistics`, label: "Statistics" },
    `You get this e-mail because your address is an alert channel of ${shown(account)}. An owner of the account can switch it off under Settings, Alerts.`,
  ],
});
