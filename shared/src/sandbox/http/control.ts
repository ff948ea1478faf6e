import type { z } from "zod";
import type { SandboxRequest } from "./answer.ts";

const MAX_BYTES = 64 * 1024;

/** A refusal of one of the sandbox's own calls, answered as `{"error": text}`. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The body of one of the sandbox's own calls. Throws a `ControlError` that names every member that is wrong. */
export async function readControl<T>(request: SandboxRequest, schema: z.ZodType<T>): Promise<T> {
  const text = (await request.readBody(MAX_BYTES)).toString("utf8");
  const result = schema.safeParse(parse(text));
  if (result.success) return result.data;
  throw new ControlError(400, result.error.issues.map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`).join("; "));
}

function parse(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new ControlError(400, "The body is not valid JSON");
  }
}
