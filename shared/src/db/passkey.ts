import { type IdPage, type RowOf, type Sql, columns, hasRows, newestFirst, of, one, scalar } from "./statement.ts";

const passkeyColumns = columns({
  ...of.texts("id", "user_id", "name"),
  /** The authenticator's id in base64url. */
  credential_id: of<string>(),
  /** The key in the COSE format. */
  public_key: of<Buffer>(),
  /** The count of signatures; 0 where the authenticator counts none. */
  counter: of<number>({ read: "counter::float8" }),
  transports: of<string[]>({ read: "to_json(transports)" }),
  created_at: of<Date>(),
  last_used_at: of<Date | null>(),
});

export type PasskeyRow = RowOf<typeof passkeyColumns>;

export type NewPasskey = Omit<PasskeyRow, "created_at" | "last_used_at">;

/** Undefined if the credential is known, `full` if the user has `most`. `sql` is a transaction that has locked the user: simultaneous calls stay within the limit. */
export async function insertPasskey(sql: Sql, passkey: NewPasskey, most: number): Promise<PasskeyRow | "full" | undefined> {
  if ((await listPasskeys(sql, passkey.user_id, { before: null, limit: most })).length >= most) return "full";
  return one(sql<PasskeyRow[]>`
    insert into passkey ${sql(passkey)} on conflict (credential_id) do nothing returning ${passkeyColumns.read(sql)}`);
}

/** A page of the user's passkeys, newest first. `before`: the id that the page starts after, null for the first. */
export const listPasskeys = (sql: Sql, userId: string, page: IdPage) =>
  sql<PasskeyRow[]>`
    select ${passkeyColumns.read(sql)} from passkey
    where user_id = ${userId} ${newestFirst(sql, page)}`;

export const findPasskey = (sql: Sql, credentialId: string) =>
  one(sql<PasskeyRow[]>`select ${passkeyColumns.read(sql)} from passkey where credential_id = ${credentialId}`);

/** Records a use. False when the passkey is gone, or its counter has moved on since the row was read. */
export const notePasskeyUse = (sql: Sql, { id, counter }: PasskeyRow, newCounter: number) =>
  hasRows(sql`
    update passkey set counter = ${newCounter}, last_used_at = now() where id = ${id} and counter = ${counter} returning id`);

/** Whether the passkey exists. Waits for a removal that is under way. */
export const isPasskey = (sql: Sql, id: string) => hasRows(sql`select id from passkey where id = ${id} for share`);

export const deletePasskeysOfUser = (sql: Sql, userId: string) => sql`delete from passkey where user_id = ${userId}`;

/** Deletes the passkey; false if the user has none with that id. */
export const deletePasskey = (sql: Sql, userId: string, id: string) =>
  hasRows(sql`delete from passkey where id = ${id} and user_id = ${userId} returning id`);

/** Deletes the passkeys of the user that were made since an owner of their account could first set their password: that owner may have made them. */
export const deletePasskeysSinceReset = (sql: Sql, userId: string) => sql`
  delete from passkey where user_id = ${userId} and created_at >= (${firstReset(sql, userId)})`;

/** Whether an owner of the user's account could ever set their password. */
export const couldOwnerSetPassword = (sql: Sql, userId: string) =>
  scalar(sql<[{ could: boolean }]>`select (${firstReset(sql, userId)}) is not null as could`);

const firstReset = (sql: Sql, userId: string) => sql`
  select min(e.created_at) from membership m join audit_entry e on e.account_id = m.account_id
  where m.user_id = ${userId} and e.action = 'users.resetPassword' and e.subject = ${userId}`;
