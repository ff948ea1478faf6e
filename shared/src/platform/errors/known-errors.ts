import { errorTable } from "./error-class.ts";

const working = "Resend once the connection test in the settings passes again.";

const newToken = "Create a new access token of a system user and enter it in the settings.";
const register = "Register the number again in Meta Business Manager.";

/** No message of the account can be sent until somebody acts. 200 stands for the range 200–299. */
export const accountErrors = errorTable("account", working, [
  ["0", "The access token is not accepted", `WhatsApp cannot tell whose access token this is. ${newToken}`],
  ["3", "The app lacks a capability", "The app is not allowed to do this. Give it the WhatsApp permissions in the Meta app settings."],
  [
    "10",
    "Permission denied",
    "The access token may not do this. Check that it has both WhatsApp permissions and that the business account is assigned to its system user.",
  ],
  ["33", "The sending number does not exist", "WhatsApp no longer has this phone number. Check the phone number ID in the settings."],
  [
    "100/33",
    "Wrong id, or no access to it",
    "The phone number or business account id is wrong, or the access token's system user was not given access to it. Check both in the settings.",
  ],
  ["104", "No access token", `The request carried no access token. ${newToken}`],
  ["190", "The access token is invalid or has expired", `WhatsApp no longer accepts the access token. ${newToken}`],
  [
    "190/460",
    "The access token ended with a password change",
    `The token's owner changed the password, which ends the access token. ${newToken}`,
  ],
  ["190/463", "The access token has expired", `Tokens from the app's set-up page last only a few hours. ${newToken}`],
  ["190/467", "The access token is invalid", `The access token was revoked or its owner signed out. ${newToken}`],
  [
    "200",
    "No permission for the business account",
    "The access token may not use this business account. Assign the account to the token's system user in Meta's business settings.",
  ],
  [
    "368",
    "Temporarily blocked for policy violations",
    "WhatsApp blocked the business for breaking its policies. See the account quality page of Meta Business Manager for how to appeal.",
  ],
  ["803", "The id does not exist", "WhatsApp has no object with this id. Check the phone number and business account ids in the settings."],
  [
    "131005",
    "Access denied",
    "The access token may not do this. Check that it has both WhatsApp permissions and that the business account is assigned to its system user.",
  ],
  [
    "131031",
    "The account is locked",
    "WhatsApp locked or restricted the business account, or a PIN does not match. See the account's status in Meta Business Manager.",
  ],
  [
    "131037",
    "The number needs an approved display name",
    "A 555 number may only send with an approved display name. Ask for one in Meta Business Manager.",
  ],
  [
    "131042",
    "Payment problem",
    "WhatsApp cannot charge for messages: the payment method, credit line, currency or time zone of the business account needs attention in its billing settings.",
  ],
  ["131045", "The number is not correctly registered", `The sending number's certificate is not valid. ${register}`],
  ["133000", "The number was not fully deregistered", `An earlier deregistration did not finish. ${register}`],
  [
    "133005",
    "The PIN does not match",
    "The number's two-step verification PIN is wrong. Set a new one in Meta Business Manager and register the number again.",
  ],
  ["133006", "The number is not verified", `The sending number has to be verified before it is registered. ${register}`],
  ["133008", "Too many wrong PINs", "A wrong PIN was entered too often. Wait as long as WhatsApp says, then register the number again."],
  [
    "133009",
    "PINs were tried too quickly",
    "The PIN was entered again too quickly. Wait as long as WhatsApp says, then register the number again.",
  ],
  ["133010", "The number is not registered", `The sending number is not registered with WhatsApp. ${register}`],
  ["133015", "The number was deleted a moment ago", "Wait five minutes, then register the number again."],
  ["133016", "Registered too often", "A number can be registered ten times in 72 hours. Wait that long, then register it again."],
]);

const sync = "Sync the templates and compare the binding's variables with the template.";

/** The message itself is wrong: sending it again fails again. */
export const permanentErrors = errorTable("permanent", null, [
  [
    "100",
    "A parameter is invalid",
    `A part of the message has a wrong name, is too long or does not fit the template; the details name it. ${sync}`,
  ],
  ["131008", "A parameter is missing", `A variable of the template has no value; the details name it. ${sync}`],
  ["131009", "A parameter's value is invalid", "WhatsApp does not accept a value, such as a malformed phone number; the details name it."],
  ["131021", "The recipient is the sender", "A number cannot send messages to itself. Use another recipient."],
  [
    "131030",
    "The recipient is not on the test list",
    "A test number can send only to the recipients listed for it in the Meta app settings. Add the phone there, or use a real number.",
  ],
  ["131035", "Not possible without storage", "The number keeps no messages, and this message needs that."],
  ["131036", "Not possible without storage", "The number keeps no messages, and this message needs that."],
  ["131047", "The 24-hour window is over", "More than 24 hours have passed since the recipient last wrote, so only templates can be sent."],
  ["131051", "This kind of message is not supported", "WhatsApp does not support this kind of message."],
  ["131052", "Media cannot be downloaded", "WhatsApp could not download a file that the recipient sent."],
  [
    "131053",
    "Media cannot be used",
    "WhatsApp could not fetch the header's image, video or document: check that its link is public, direct and of the right type and size.",
    "Resend once the link works.",
  ],
  ["131055", "Not a marketing message", "WhatsApp's marketing message interface accepts only marketing templates."],
  [
    "131063",
    "Marketing templates are switched off here",
    "The business account takes marketing templates only through WhatsApp's marketing message interface. Other messages go on.",
    "Resend once that interface is chosen for marketing under Settings, Platform, or marketing is allowed again.",
  ],
  ["131062", "This needs a phone number", "This kind of message can only go to a phone number, not to a user id."],
  ["132000", "Wrong number of variables", `The message fills more or fewer variables than the template has. ${sync}`],
  ["132001", "No such approved template", `WhatsApp has no approved template of this name in exactly this language. ${sync}`],
  [
    "132005",
    "The text is too long",
    "With the values filled in, the text is longer than WhatsApp allows. Shorten the values or the template.",
  ],
  ["132007", "The text violates WhatsApp's policy", "WhatsApp does not allow this template's text. Change the template."],
  ["132008", "A value was rejected", "WhatsApp does not accept one of the values; the details name it."],
  [
    "132012",
    "A parameter has the wrong format",
    `The template expects something else for a variable, such as an image in the header; the details name it. ${sync}`,
  ],
  [
    "132016",
    "The template is disabled",
    "WhatsApp disabled this template for good because recipients rated it badly. Create a new template.",
  ],
  [
    "132018",
    "The parameters do not fit the template",
    "A value holds a line break, a tab or a long run of spaces, or a button got a value that does not fit; the details name it.",
  ],
  ["132068", "The form is blocked", "The form that the template opens is blocked. Repair it in Meta Business Manager."],
  ["132069", "The form is throttled", "The form that the template opens is limited for now. See its status in Meta Business Manager."],
  ["134100", "Not a marketing template", "WhatsApp's marketing message interface accepts only marketing templates."],
  ["134011", "Payment terms not accepted", "A payment message needs WhatsApp's payment terms: accept them in Meta Business Manager."],
  [
    "134102",
    "Marketing messages are not available",
    "This template, or the business account, cannot use WhatsApp's marketing message interface. Other messages go on.",
    "Resend once the account may use it, or after you have chosen the usual route for marketing under Settings, Platform.",
  ],
  ["139200", "Direct sending is blocked", "WhatsApp blocked this business from sending messages without a template. Templates go on."],
  ["135000", "WhatsApp refuses the message", "WhatsApp refuses the message without saying why. The details may tell more."],
  ["137000", "The recipient's identity changed", "The recipient's identity key has changed, for example with a new phone."],
]);

/** The platform holds messages back because of how recipients received earlier ones. */
export const qualityErrors = errorTable("quality", null, [
  [
    "131048",
    "Held back as possible spam",
    "Too many recipients blocked or reported this number's messages. Send fewer messages, and only those that people asked for. The number's messages wait, and one a minute is tried until WhatsApp takes it.",
    "Resend once the number's quality in Meta Business Manager has recovered.",
  ],
  [
    "131064",
    "Limited after a wrong template category",
    "Templates of this account had the wrong category, so WhatsApp takes only so many utility messages a day. The limit ends by itself; until then messages wait and are tried again about every hour.",
    "Resend once WhatsApp has lifted the limit.",
  ],
  [
    "132015",
    "The template is paused",
    "WhatsApp paused this template because recipients rated it badly. The first pause lasts three hours, the second six; until the template is approved again, messages wait.",
    "Resend once the template is approved again.",
  ],
]);

/** The recipient cannot be reached, or does not accept this message. */
export const recipientErrors = errorTable("recipient", null, [
  [
    "130403",
    "Your business blocked this person",
    "Your business blocked this person in WhatsApp, so nothing can be sent to them.",
    "Resend once you have unblocked them there.",
  ],
  [
    "130472",
    "The recipient is in a WhatsApp experiment",
    "WhatsApp sends this person no marketing messages for now, as part of an experiment. The message is not charged.",
  ],
  [
    "130497",
    "Messages to this country are not allowed",
    "The business account is not allowed to message people in this recipient's country.",
  ],
  [
    "131026",
    "Undeliverable",
    "The recipient is not on WhatsApp, has not accepted its terms, or uses an outdated app; WhatsApp does not say which. Contact the person another way.",
    "Resend once the recipient says that WhatsApp works on this number.",
  ],
  [
    "131049",
    "Held back by WhatsApp",
    "WhatsApp limits how many marketing messages a person gets, and delivers none to numbers in the United States.",
    "Resend after 24 hours at the earliest; sooner only repeats the error.",
  ],
  [
    "131050",
    "The recipient opted out of marketing",
    "The recipient stopped marketing messages from this business. Send no more until the person opts in again.",
  ],
]);

/** Refused changes to templates, by code and subcode, with what to do about each. */
export const templateErrors = errorTable("permanent", null, [
  [
    "100/2388019",
    "The template limit is reached",
    "The business account has as many templates as WhatsApp allows. Delete those that are no longer used, or get the business verified for more.",
  ],
  [
    "100/2388023",
    "The name and language are locked",
    "A template of this name and language was deleted, and WhatsApp keeps them locked: for a minute if it was never approved, otherwise for weeks. Use another name (…_v2).",
  ],
  [
    "100/2388024",
    "The template exists already",
    "WhatsApp already has a template with this name and language. Sync the templates to see it, or use another name.",
  ],
  [
    "100/2388039",
    "The status does not allow this change",
    "A template that is in review or disabled cannot be changed. Sync the templates to see its status, and wait for the decision.",
  ],
  [
    "100/2388040",
    "A text is too long",
    "Shorten the part that WhatsApp names: at most 60 characters for header and footer, 1024 for the body, 25 for a button.",
  ],
  ["100/2388043", "Examples are missing", "Give an example for every variable, and a file for an image, video or document header."],
  ["100/2388047", "The header is malformed", "Write the header on one line without emoji or markup, with one variable at most."],
  [
    "100/2388072",
    "The body is malformed",
    "Look for more than two line breaks in a row, more than ten emoji, a variable that is not written as {{1}}, or a body that has only variables.",
  ],
  ["100/2388073", "The footer is malformed", "Write the footer on one line, without variables or emoji."],
  ["100/2388081", "The button's address is not allowed", "A button must not link to wa.me or whatsapp.com: use a page of your own site."],
  [
    "100/2388293",
    "Too many variables for the text",
    "Use fewer variables, or write more words around them: two to three for each variable.",
  ],
  [
    "100/2388299",
    "A variable at the start or end",
    "Put words before the body's first variable and after its last one; a full stop may not be enough.",
  ],
]);

const soon = "Resend in a few minutes.";

/** A fault or a limit that passes within minutes. The same message is tried again at once. */
export const transientErrors = errorTable("transient", soon, [
  ["1", "Unknown error at WhatsApp", "WhatsApp could not handle the request and does not say why. This usually passes."],
  ["2", "WhatsApp is down or overloaded", "WhatsApp cannot take requests just now. Nothing is wrong on this side."],
  [
    "4",
    "The app calls too often",
    "The app has used up the calls that WhatsApp allows per hour. Sending slows down until WhatsApp allows more.",
    "Resend in an hour.",
  ],
  [
    "17",
    "The user calls too often",
    "The access token's owner has used up the calls that WhatsApp allows. Sending slows down until WhatsApp allows more.",
    "Resend in an hour.",
  ],
  [
    "80007",
    "The business account calls too often",
    "The business account has used up the calls that WhatsApp allows per hour. Sending slows down until WhatsApp allows more.",
    "Resend in an hour.",
  ],
  ["130429", "Too many messages a second", "The number sends faster than WhatsApp allows it to. Spread large sends over more time."],
  [
    "131000",
    "Something went wrong at WhatsApp",
    "WhatsApp failed and does not say why. This usually passes; if it does not, give WhatsApp support the trace ID from the details.",
  ],
  ["131016", "The service is unavailable", "A part of WhatsApp is down for a moment. Nothing is wrong on this side."],
  [
    "131056",
    "Too many messages to this recipient",
    "This number sent too many messages to this recipient in a short time. Only this recipient is affected.",
  ],
  [
    "131057",
    "The number is under maintenance",
    "WhatsApp is working on the sending number, for example to raise its throughput. This takes about a minute.",
    "Resend in five minutes.",
  ],
  [
    "131059",
    "The list changed while it was read",
    "WhatsApp's list of templates changed while it was being read. Reading restarts from the beginning.",
    "Sync the templates again.",
  ],
  ["133004", "The server is unavailable", "A server of WhatsApp is down for a moment. Nothing is wrong on this side."],
  [
    "134101",
    "The template is still being set up",
    "WhatsApp is still getting this template ready for marketing messages, which takes up to ten minutes.",
    "Resend in ten minutes.",
  ],
]);

/** The app, the user or the business account has used up its calls, which come back within the hour. */
export const callQuotaCodes: ReadonlySet<string> = new Set(["4", "17", "80007"]);

/** Faults of the platform itself. */
export const faultCodes: ReadonlySet<string> = new Set(["1", "2", "131000", "131016", "133004"]);

/** Refusals by which a template's state or category is another than we know: missing, of another text, not sendable by this way, paused, disabled. */
export const strangeCodes: ReadonlySet<string> = new Set(["131055", "132000", "132001", "132015", "132016", "134100"]);
/** Marketing is switched off on the usual way: strange of any other template. */
export const switchedOffCode = "131063";

/** Limits on sending. They need longer pauses than a fault. */
export const slowDownCodes: ReadonlySet<string> = new Set([...callQuotaCodes, "130429"]);
