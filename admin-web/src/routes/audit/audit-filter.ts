import { auditCsv } from "../../paths.ts";
import { daySpan } from "../../ui/filters/day-span.ts";
import { fileAddress } from "../../ui/filters/file-address.ts";
import type { AuditSearch } from "./audit-search.ts";

/** What the server takes. */
export const auditFilter = (search: AuditSearch): AuditSearch => ({ ...search, ...daySpan(search) });

/** Where the same entries can be had as a file. */
export const csvAddress = (search: AuditSearch): string => fileAddress(auditCsv, auditFilter(search));
