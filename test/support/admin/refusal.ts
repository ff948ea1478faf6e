import { TRPCClientError } from "@trpc/client";
import type { AppRouter } from "admin-server/client";

/** How the call is refused; fails when it is not. */
export async function refusal(call: Promise<unknown>): Promise<{ code: string; message: string; issues: unknown[] }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    const { message, data } = error as TRPCClientError<AppRouter>;
    return { code: data?.code ?? "none", message, issues: data?.issues ?? [] };
  }
  throw new Error("the call was not refused");
}
