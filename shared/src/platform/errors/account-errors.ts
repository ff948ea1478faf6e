import { errorTable } from "./error-class.ts";

const working = "Resend once the connection test in the settings passes again.";

const newToken = "Create a new access token of a system user and enter it in the settings.";
const register = "Register the number again in the platform's business manager.";

/** Nothing of this account goes out until somebody acts. 200 stands for the whole range 200–299. */
export const accountErrors = errorTable("account", working, [
  ["0", "The access token is not accepted", `The platform cannot tell whose access token this is. ${newToken}`],
  ["3", "The app lacks a capability", "The app may not make this call. Give it the WhatsApp permissions in the platform's app settings."],
  [
    "10",
    "Permission denied",
    "The access token may not do this. Check that it has both WhatsApp permissions and that the business account is assigned to its system user.",
  ],
  ["33", "The sending number does not exist", "The platform has no such phone number any more. Check the phone number id in the settings."],
  [
    "100/33",
    "Wrong id, or no access to it",
    "The phone number or business account id is wrong, or the access token's system user was not given access to it. Check both in the settings.",
  ],
  ["104", "No access token", `The request carried no access token. ${newToken}`],
  ["190", "The access token is invalid or has expired", `The platform no longer accepts the access token. ${newToken}`],
  [
    "190/460",
    "The access token ended with a password change",
    `The token's owner changed the password, which ends the access token. ${newToken}`,
  ],
  ["190/463", "The access token has expired", `Tokens from the app's set-up page last for hours only. ${newToken}`],
  ["190/467", "The access token is invalid", `The access token was revoked or its owner signed out. ${newToken}`],
  [
    "200",
    "No permission for the business account",
    "The access token may not use this business account. Assign the account to the token's system user in the platform's business settings.",
  ],
  [
    "368",
    "Temporarily blocked for policy violations",
    "The platform blocked the business for breaking its policies. See the account quality page of the platform's business manager for how to appeal.",
  ],
  [
    "803",
    "The id does not exist",
    "The platform has no object with this id. Check the phone number and business account ids in the settings.",
  ],
  [
    "131005",
    "Access denied",
    "The access token may not do this. Check that it has both WhatsApp permissions and that the business account is assigned to its system user.",
  ],
  [
    "131031",
    "The account is locked",
    "The platform locked or restricted the business account, or a PIN does not match. See the account's status in the platform's business manager.",
  ],
  [
    "131037",
    "The number needs an approved display name",
    "A 555 number may only send with an approved display name. Ask for one in the platform's business manager.",
  ],
  [
    "131042",
    "Payment problem",
    "The platform cannot charge for messages: the payment method, credit line, currency or time zone of the business account needs attention in its billing settings.",
  ],
  ["131045", "The number is not correctly registered", `The sending number's certificate is not in order. ${register}`],
  [
    "131063",
    "Marketing templates are switched off here",
    "The business account sends marketing templates only through the platform's marketing message interface. Switch that off there, or send utility templates.",
  ],
  ["133000", "The number was not fully deregistered", `An earlier deregistration did not finish. ${register}`],
  [
    "133005",
    "The PIN does not match",
    "The number's two-step verification PIN is wrong. Set a new one in the platform's business manager and register the number again.",
  ],
  ["133006", "The number is not verified", `The sending number has to be verified before it is registered. ${register}`],
  [
    "133008",
    "Too many wrong PINs",
    "The number's PIN was guessed too often. Wait as long as the platform says, then register the number again.",
  ],
  [
    "133009",
    "PINs were tried too quickly",
    "The number's PIN was entered too quickly in a row. Wait as long as the platform says, then register the number again.",
  ],
  ["133010", "The number is not registered", `The sending number is not registered with the platform. ${register}`],
  ["133015", "The number was deleted a moment ago", "Wait five minutes, then register the number again."],
  ["133016", "Registered too often", "A number can be registered ten times in 72 hours. Wait that long, then register it again."],
  ["134011", "Payment terms not accepted", "The terms of the platform's payments have to be accepted in its business manager first."],
  [
    "134102",
    "Marketing messages are not available",
    "The business account cannot use the platform's marketing message interface. See its status in the platform's business manager.",
  ],
  [
    "139200",
    "Direct sending is blocked",
    "The platform blocked this business from sending directly. See its status in the platform's business manager.",
  ],
]);
