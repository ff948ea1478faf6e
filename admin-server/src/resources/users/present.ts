import type { UserRow } from "shared/db/tables/user/row";
import { presentUser } from "../../session/sign-in.ts";

export const presentMember = (row: UserRow) => ({ ...presentUser(row), createdAt: row.created_at.toISOString() });
