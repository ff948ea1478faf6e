import { createContext, use } from "react";
import { may, type Right, type Role } from "shared/core/role";

/** The reader's role: the least of all outside the frame of the dashboard. */
export const RoleContext = createContext<Role>("viewer");

/** Whether the reader has the right. */
export const useMay = (right: Right): boolean => may(use(RoleContext), right);
