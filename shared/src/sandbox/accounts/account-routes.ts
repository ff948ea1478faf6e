import { z } from "zod";
import { sandboxLimits, type SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { countCallbacks } from "../../db/tables/sandbox/callback.ts";
import type { SandboxContext } from "../context.ts";
import type { Handler } from "../http/answer.ts";
import { ControlError, readControl } from "../http/control.ts";
import type { Route } from "../http/match-route.ts";
import { sampleTemplate } from "../templates/sample-template.ts";
import { shakeHands } from "./handshake.ts";
import { displayNumber, newAccount } from "./new-account.ts";

const create = z.strictObject({
  name: z.string().min(1).max(200).default("Sandbox account"),
  callbackUrl: z.url({ protocol: /^https?$/ }),
  verifyToken: z.string().min(1),
  subscribed: z.boolean().default(true),
  /** Answers the account that was made with the same verify token, if there is one, instead of another. */
  reuse: z.boolean().default(false),
});

const change = z
  .strictObject({
    callbackUrl: z.url({ protocol: /^https?$/ }),
    verifyToken: z.string().min(1),
    subscribed: z.boolean(),
    limits: z.array(z.enum(sandboxLimits)),
    throttleStatus: z.literal([400, 429]),
    refuseCode: z.int().min(0).nullable(),
  })
  .partial();

const createAccount: Handler = async (context, request) => {
  const { reuse, ...wishes } = await readControl(request, create);
  const account = (reuse ? await reopen(context, wishes) : undefined) ?? (await open(context, wishes));
  const { wabaId, phoneNumberId, accessToken, appId, appSecret } = account;
  const displayPhoneNumber = displayNumber(account.phoneNumber);
  const callbackVerified = await shakeHands(account);
  return { json: { wabaId, phoneNumberId, displayPhoneNumber, accessToken, appId, appSecret, callbackVerified } };
};

const showAccount: Handler = async (context, request) => ({ json: await present(context, find(context, request.params["wabaId"])) });

const changeAccount: Handler = async (context, request) => {
  const account = find(context, request.params["wabaId"]);
  const wishes = Object.fromEntries(Object.entries(await readControl(request, change)).filter(([, value]) => value !== undefined));
  const changed: SandboxAccount = { ...account, ...wishes };
  await context.accounts.change(changed);
  return { json: await present(context, changed) };
};

/** Making and changing accounts: what a person would do in the platform's own pages. */
export const accountRoutes: Route[] = [
  ["POST", "/_sandbox/accounts", createAccount],
  ["GET", "/_sandbox/accounts/:wabaId", showAccount],
  ["PATCH", "/_sandbox/accounts/:wabaId", changeAccount],
  ["PUT", "/_sandbox/accounts/:wabaId", changeAccount],
];

type Wishes = Omit<z.output<typeof create>, "reuse">;

async function open(context: SandboxContext, wishes: Wishes): Promise<SandboxAccount> {
  const account = newAccount({ ...wishes, limits: context.options.limits });
  await context.accounts.add(account);
  await context.templates.save(sampleTemplate(account.wabaId, context.options.now()));
  return account;
}

async function reopen(context: SandboxContext, { verifyToken, callbackUrl }: Wishes): Promise<SandboxAccount | undefined> {
  const made = context.accounts.all().find((account) => account.verifyToken === verifyToken);
  if (made === undefined) return undefined;
  const account = { ...made, callbackUrl };
  await context.accounts.change(account);
  return account;
}

function find(context: SandboxContext, wabaId = ""): SandboxAccount {
  const account = context.accounts.find(wabaId);
  if (account === undefined) throw new ControlError(404, `No account ${wabaId}: make one with POST /_sandbox/accounts`);
  return account;
}

async function present(context: SandboxContext, account: SandboxAccount) {
  const { accessToken: _token, appSecret: _secret, verifyToken: _verifyToken, phoneNumber, ...shown } = account;
  return { ...shown, displayPhoneNumber: displayNumber(phoneNumber), pendingCallbacks: await countCallbacks(context.sql, account.wabaId) };
}
