import type { Addresses } from "./parts.ts";
import type { DemoShop, Login } from "./try-out/make-demo.ts";
import { pasteBlock } from "./try-out/paste-block.ts";

/** What a start prints when everything serves. `setupCode` is null when somebody can sign in already. */
export const runningMessage = (addresses: Addresses, setupCode: string | null): string =>
  [
    "",
    "Tidings is running.",
    `  Dashboard  ${addresses.admin}`,
    `  Gateway    ${addresses.gateway}`,
    ...(addresses.sandbox === null ? [] : [`  Sandbox    ${addresses.sandbox}   (stands in for WhatsApp: nothing leaves this machine)`]),
    ...(setupCode === null ? [] : [`  The first sign-up from another machine needs this setup code: ${setupCode}`]),
    "",
  ].join("\n");

/** What the try-out prints: who may sign in, and what to paste. Blank lines stand around the block and none in it. */
export const tryOutMessage = (addresses: Addresses, login: Login, isDemoOwner: boolean, shop: DemoShop): string =>
  [
    "",
    "A demo shop is set up. Sign in to the dashboard:",
    `  Address    ${addresses.admin}`,
    `  Email      ${login.email}`,
    `  Password   ${isDemoOwner ? `${login.password}   (shown this once)` : "the one in ADMIN_PASSWORD"}`,
    "The shop's credentials, also shown this once:",
    `  Site key        ${shop.apiKey}`,
    `  Webhook secret  ${shop.webhookSecret}`,
    "Paste this into a second terminal to send an order's confirmation:",
    "",
    pasteBlock(addresses.gateway, shop),
    "",
    `Then see the message as its recipient would: in the dashboard, or at ${addresses.sandbox ?? ""}/_sandbox/messages`,
    "",
  ].join("\n");
