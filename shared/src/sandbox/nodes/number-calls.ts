import { dayMs } from "../../core/durations.ts";
import type { AccountState } from "../account-state.ts";
import { invalidParameter, missingParameter, refusal } from "../graph-error.ts";
import { type AccountHandler, type Answer, type SandboxContext, type SandboxRequest, isObject, readJson, success } from "../http.ts";
import type { Person } from "../people.ts";
import { readRecipient } from "../send/recipient.ts";
import type { SandboxAccount } from "../store.ts";

export const isPin = (pin: unknown): boolean => (typeof pin === "string" || typeof pin === "number") && /^\d{6}$/.test(String(pin));

/** `POST /{phone number id}/register`. */
export const register: AccountHandler = async (context, request, account) => {
  const { messaging_product: product, pin } = await readJson(request);
  if (product !== "whatsapp") throw missingParameter("messaging_product");
  if (pin === undefined) throw missingParameter("pin");
  if (!isPin(pin)) throw invalidParameter("Param pin must be 6 characters long.");
  return changeState(context, account, { registered: true });
};

/** `POST /{phone number id}/deregister`: nothing can be sent until the number is registered again. */
export const deregister: AccountHandler = (context, _request, account) => changeState(context, account, { registered: false });

export async function changeState({ accounts }: SandboxContext, account: SandboxAccount, change: Partial<AccountState>): Promise<Answer> {
  await accounts.change({ ...account, state: { ...account.state, ...change } });
  return success;
}

/** `GET /{phone number id}/block_users`. */
export const listBlocked: AccountHandler = ({ people }, _request, { wabaId }) => {
  const data = people
    .all(wabaId)
    .flatMap((person) => (person.blocked ? [{ messaging_product: "whatsapp", ...namesOf(people, wabaId, person) }] : []));
  return { json: { data, paging: { cursors: { before: "MA", after: "MA" } } } };
};

const namesOf = (people: SandboxContext["people"], wabaId: string, person: Person) => ({
  ...(person.phoneVisible && { wa_id: person.waId }),
  user_id: people.userId(wabaId, person),
});

/** `POST /{phone number id}/block_users`: blocks people who wrote within a day; others are named with the reason. */
export const blockUsers: AccountHandler = async (context, request, account) => {
  const now = context.options.now();
  const { done, failed } = await changeBlocked(context, request, account, true, ({ wroteAt }) => wroteAt !== null && now - wroteAt < dayMs);
  const users = { added_users: done, ...(failed.length > 0 && { failed_users: failed }) };
  return { ...(failed.length > 0 && { status: 400 }), json: { messaging_product: "whatsapp", block_users: users } };
};

/** `DELETE /{phone number id}/block_users`. */
export const unblockUsers: AccountHandler = async (context, request, account) => {
  const { done } = await changeBlocked(context, request, account, false, () => true);
  return { json: { messaging_product: "whatsapp", block_users: { removed_users: done } } };
};

const mostBlocked = 1_000;

async function changeBlocked(
  context: SandboxContext,
  request: SandboxRequest,
  account: SandboxAccount,
  blocked: boolean,
  may: (person: Person) => boolean,
) {
  const { messaging_product: product, block_users: users } = await readJson(request);
  if (product !== "whatsapp") throw missingParameter("messaging_product");
  if (!Array.isArray(users) || users.length === 0 || users.length > mostBlocked) throw missingParameter("block_users");
  const [done, failed]: [object[], object[]] = [[], []];
  for (const one of users as unknown[]) {
    const { user, user_id: userId } = isObject(one) ? one : {};
    const { input, person, waId, reach, byUserId } = readRecipient(
      context,
      userId === undefined ? { to: user } : { recipient: userId },
      account,
    );
    if (reach !== "somebody" || !may(person)) {
      failed.push({ input, wa_id: waId, errors: [refusal(131047, "The person has not written within 24 hours").body.error] });
      continue;
    }
    await context.people.save(account.wabaId, { ...person, blocked });
    done.push({ input, ...(byUserId ? { user_id: input } : { wa_id: waId }) });
  }
  return { done, failed };
}

/** `DELETE /{phone number id}/contact_book`: takes a person out, whose phone is hidden from then on. */
export const forgetContact: AccountHandler = async ({ people }, { query }, { wabaId }) => {
  const userId = query.get("bsuid");
  if (userId === null || userId === "") throw missingParameter("bsuid");
  const person = people.byUserId(wabaId, userId);
  if (person !== undefined) await people.save(wabaId, { ...person, phoneVisible: false });
  return { json: { messaging_product: "whatsapp", success: true, deleted: person !== undefined } };
};
