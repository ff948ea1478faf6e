import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { remember } from "../core/text.ts";
import type { Sql } from "../db/statement.ts";
import { countryOf } from "../normalize-phone.ts";
import { createVault } from "../secrets/vault.ts";
import type { Logger } from "../server/logger.ts";
import { ControlError } from "./graph-error.ts";
import { deleteSandboxPerson, listSandboxPeople, saveSandboxPerson } from "./store.ts";

/** `CC.` and letters and digits; with `ENT.` that of an enrolled group of portfolios. */
export const userIdPattern = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Somebody of whom there is nothing to say. */
export const newPerson = {
  username: null as string | null,
  /** Whether what the person writes and prefers names the phone. */
  phoneVisible: true,
  /** Whether the business blocked the person. */
  blocked: false,
  /** Whether the person blocked the business. */
  blocksBusiness: false,
  /** How often the person got another user id with the same phone. */
  idChanges: 0,
  /** When the person last wrote; milliseconds since 1970. */
  wroteAt: null as number | null,
  /** Until when messages are free, since the person came by an advertisement. */
  freeUntil: null as number | null,
};

/** A person as one business account knows them. */
export type Person = typeof newPerson & { waId: string };

/** The people of every account, cached in memory and written through. Somebody of whom there is nothing to say is not kept. */
export type People = Awaited<ReturnType<typeof loadPeople>>;

/** Most people of an account whom the sandbox keeps something about. */
const mostPeople = 10_000;

/** Free messages by an advertisement last longest of what a message of theirs begins. */
const memoryMs = 72 * 60 * 60 * 1000;

/** Whether there is nothing to say of the person but that they wrote long ago. */
function isStranger(person: Person, now: number): boolean {
  const { wroteAt, freeUntil: _freeUntil, waId: _waId, ...rest } = person;
  const isSilent = wroteAt === null || now - wroteAt > memoryMs;
  return isSilent && Object.entries(rest).every(([name, value]) => value === newPerson[name as keyof typeof rest]);
}

/** Loads the people. One whom `key` does not open is forgotten. */
export async function loadPeople(sql: Sql, { key, log, now }: { key: Buffer; log: Logger; now: () => number }) {
  const vault = createVault(key);
  const ofAccount = remember(Infinity, (_wabaId: string) => new Map<string, Person>());
  const ids = createUserIds(key);
  const rowId = (wabaId: string, waId: string): string => ids.write(wabaId, { waId, idChanges: 0 }).slice(3);
  const placeOf = (id: string) => ({ column: "sandbox.person.record", row: id, account: "" }) as const;
  for (const { waba_id: wabaId, id, record } of await listSandboxPeople(sql)) {
    try {
      const person = { ...newPerson, ...(JSON.parse(vault.open(record, placeOf(id))) as Person) };
      ofAccount(wabaId).set(person.waId, person);
    } catch (error) {
      log.warn({ err: error, wabaId }, "SANDBOX_KEY does not open a person, who is forgotten");
      await deleteSandboxPerson(sql, wabaId, id);
    }
  }
  const forget = async (wabaId: string, waId: string): Promise<void> => {
    if (ofAccount(wabaId).delete(waId)) await deleteSandboxPerson(sql, wabaId, rowId(wabaId, waId));
  };
  const find = (wabaId: string, waId: string): Person => ofAccount(wabaId).get(waId) ?? { ...newPerson, waId };
  return {
    find,
    /** The person who has the user id now; undefined for ids of other accounts and former ones. */
    byUserId: (wabaId: string, userId: string): Person | undefined => {
      const read = ids.read(wabaId, userId);
      const person = read === null ? undefined : find(wabaId, read.waId);
      return person !== undefined && ids.write(wabaId, person) === userId ? person : undefined;
    },
    userId: ids.write,
    all: (wabaId: string) => [...ofAccount(wabaId).values()],
    /** Throws a `ControlError` when the account has too many of whom there is something to say. */
    save: async (wabaId: string, person: Person): Promise<void> => {
      const known = ofAccount(wabaId);
      if (!known.has(person.waId) && known.size >= mostPeople) {
        const stranger = [...known.values()].find((one) => isStranger(one, now()));
        if (stranger === undefined) throw new ControlError(409, `An account keeps at most ${mostPeople} people`);
        await forget(wabaId, stranger.waId);
      }
      const id = rowId(wabaId, person.waId);
      await saveSandboxPerson(sql, { waba_id: wabaId, id, record: vault.seal(JSON.stringify(person), placeOf(id)) });
      known.set(person.waId, person);
    },
    forget,
  };
}

type Identity = Pick<Person, "waId" | "idChanges">;

/** User ids: the phone's country, and the phone encrypted under a key of the account. They differ between accounts, change with the phone, and need not be kept. */
function createUserIds(key: Buffer) {
  const keyOf = remember(10_000, (wabaId: string) => Buffer.from(hkdfSync("sha256", key, wabaId, "tidings sandbox user ids", 16)));
  return {
    write: (wabaId: string, { waId, idChanges }: Identity): string => {
      const block = Buffer.alloc(16);
      block.writeBigUInt64BE(BigInt(waId), 6);
      block.writeUInt16BE(idChanges % 65_536, 14);
      const cipher = createCipheriv("aes-128-ecb", keyOf(wabaId), null).setAutoPadding(false);
      const country = countryOf(`+${waId}`) ?? (waId.startsWith("1") ? "US" : "ZZ");
      return `${country}.${cipher.update(block).toString("hex").toUpperCase()}`;
    },
    read: (wabaId: string, userId: string): Identity | null => {
      const hex = /^[A-Z]{2}\.([0-9A-F]{32})$/.exec(userId)?.[1];
      if (hex === undefined) return null;
      const block = createDecipheriv("aes-128-ecb", keyOf(wabaId), null).setAutoPadding(false).update(Buffer.from(hex, "hex"));
      const isOurs = block.subarray(0, 6).every((byte) => byte === 0);
      return isOurs ? { waId: String(block.readBigUInt64BE(6)), idChanges: block.readUInt16BE(14) } : null;
    },
  };
}

/** What a callback tells of a person. */
export type KnownAs = Pick<Person, "waId" | "username" | "phoneVisible">;

/** A person in the `contacts` of a callback: `named` where the name is told, `reached` where the phone was addressed. */
export const contactOf = (person: KnownAs, userId: string, { named = true, reached = false } = {}) => ({
  profile: { name: "Sandbox", ...(named && person.username !== null && { username: person.username }) },
  ...((person.phoneVisible || reached) && { wa_id: person.waId }),
  user_id: userId,
});
