import { errorTable } from "./error-class.ts";

const sync = "Sync the templates and compare the binding's slots with the template.";

/** This message is wrong as it is: sending it again gives the same answer. */
export const permanentErrors = errorTable("permanent", null, [
  [
    "100",
    "A parameter is invalid",
    `A part of the message is misnamed, too long, or not what the template takes; the details name it. ${sync}`,
  ],
  ["131008", "A parameter is missing", `A slot of the template got no value; the details name it. ${sync}`],
  [
    "131009",
    "A parameter's value is invalid",
    "A value is not what the platform takes, a malformed phone number say; the details name it.",
  ],
  ["131021", "The recipient is the sender", "A number cannot write to itself. Use another recipient."],
  [
    "131030",
    "The recipient is not on the test list",
    "A test number writes only to the recipients that are listed for it in the platform's app settings. Add the phone there, or use a real number.",
  ],
  ["131035", "Not possible without storage", "The number keeps no messages, and this message needs that."],
  ["131036", "Not possible without storage", "The number keeps no messages, and this message needs that."],
  ["131047", "The 24 hours are over", "More than 24 hours have passed since the recipient wrote: only templates may be sent then."],
  ["131051", "This kind of message is not supported", "The platform does not take this kind of message."],
  ["131052", "Media cannot be downloaded", "The platform could not download a medium that the recipient sent."],
  [
    "131053",
    "Media cannot be used",
    "The platform could not fetch the header's image, video or document: check that its link is public, direct and of the right type and size.",
    "Resend once the link works.",
  ],
  ["131055", "Not a marketing message", "The platform's marketing message interface takes marketing templates only."],
  ["131062", "This needs a phone number", "This kind of message can only go to a phone number, not to a user id."],
  ["132000", "Wrong number of slots", `The message fills another number of slots than the template has. ${sync}`],
  ["132001", "No such approved template", `The platform has no approved template of this name in exactly this language. ${sync}`],
  [
    "132005",
    "The text is too long",
    "With the values filled in, the text is longer than the platform allows. Shorten the values or the template.",
  ],
  ["132007", "The text violates the platform's policy", "The platform does not allow this template's text. Change the template."],
  ["132008", "A value was rejected", "The platform does not take one of the values; the details name it."],
  [
    "132012",
    "A parameter has the wrong format",
    `The template expects something else in a slot, an image in the header say; the details name it. ${sync}`,
  ],
  ["132016", "The template is disabled", "The platform disabled this template for good because recipients rated it badly. Make a new one."],
  [
    "132018",
    "The parameters do not fit the template",
    "A value holds a line break, a tab or a long run of spaces, or a button got a value that it does not take; the details name it.",
  ],
  ["132068", "The form is blocked", "The form that the template opens is blocked. Repair it in the platform's business manager."],
  [
    "132069",
    "The form is throttled",
    "The form that the template opens is limited for now. See its status in the platform's business manager.",
  ],
  ["134100", "Not a marketing template", "The platform's marketing message interface takes marketing templates only."],
  ["135000", "The platform refuses the message", "The platform refuses the message without saying why. The details may tell more."],
  ["137000", "The recipient's identity changed", "The recipient's identity key is not the expected one, after a change of phone say."],
]);
