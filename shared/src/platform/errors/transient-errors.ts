import { errorTable } from "./error-class.ts";

const soon = "Resend in a few minutes.";

/** The platform or a limit was busy for a moment. */
export const transientErrors = errorTable("transient", soon, [
  ["1", "The platform had an unknown fault", "The platform could not handle the request and does not say why. It usually passes."],
  ["2", "The platform is down or overloaded", "The platform cannot take requests just now. Nothing is wrong on this side."],
  [
    "4",
    "The app calls too often",
    "The app has used up the calls that the platform grants it for this hour. Sending slows down until it grants more.",
    "Resend in an hour.",
  ],
  [
    "17",
    "The user calls too often",
    "The owner of the access token has used up the calls that the platform grants. Sending slows down until it grants more.",
    "Resend in an hour.",
  ],
  [
    "80007",
    "The business account calls too often",
    "The business account has used up the calls that the platform grants it for this hour. Sending slows down until it grants more.",
    "Resend in an hour.",
  ],
  ["130429", "Too many messages a second", "The number sends faster than the platform allows it to. Spread large sends over more time."],
  [
    "131000",
    "Something went wrong on the platform",
    "The platform failed and does not say why. It usually passes; if it stays, ask the platform's support with the trace id in the details.",
  ],
  ["131016", "The service is unavailable", "A part of the platform is down for a moment. Nothing is wrong on this side."],
  [
    "131056",
    "Too many messages to this recipient",
    "This number wrote to this recipient too often in a short time. Only this recipient is affected.",
  ],
  [
    "131057",
    "The number is under maintenance",
    "The platform is working on the sending number, for a higher throughput say. That takes about a minute.",
    "Resend in five minutes.",
  ],
  [
    "131059",
    "The list changed while it was read",
    "The platform's list of templates moved on while it was being read. Reading starts again from the beginning.",
    "Sync the templates again.",
  ],
  ["133004", "The server is unavailable", "A server of the platform is down for a moment. Nothing is wrong on this side."],
  [
    "134101",
    "The template is still being set up",
    "The platform is still getting this template ready for marketing messages, which takes up to ten minutes.",
    "Resend in ten minutes.",
  ],
]);
