import type { Setup } from "shared/core/input/setup";
import type { AdminAnswers } from "../client.ts";
import { type Ask, Failed, type Login, promotionOf } from "../setup/elsewhere.ts";
import { call, readLogin, requireAddress, variable, WrongUsage } from "./connection.ts";
import { readSetup, type SetupFile, writeSetup } from "./file.ts";
import { findSite } from "./log.ts";
import { answer, counted, type Plan, plain, showPlan, write, writeJson } from "./show.ts";

type Options = Partial<Record<"json" | "prune" | "dryRun" | "exitCode", true>>;

export async function exportSetup({ site, json }: { site?: string; json?: true }): Promise<void> {
  const login = await readLogin();
  const input = site === undefined ? {} : { siteId: await findSite(login, site) };
  const { setup } = await call<{ setup: Setup }>(login, "setup.export", input);
  answer(json, setup, (read) => void process.stdout.write(writeSetup(read)));
}

export async function check(file: string, { json }: Options): Promise<void> {
  const { setup } = await readSetup(file);
  const { sites = [], templates = [] } = setup;
  if (json) writeJson({ ok: true, sites: sites.length, templates: templates.length });
  else write(`${file} has no faults: ${counted(sites.length, "site")}, ${counted(templates.length, "draft")}`);
}

export async function diff(file: string, { json, prune, exitCode }: Options): Promise<void> {
  const { plan } = await planOf(await readLogin(), await readSetup(file), prune);
  answer(json, plan, showPlan);
  if (exitCode && plan.changes.length > 0) process.exitCode = 1;
}

async function planOf(login: Login, { setup, placed }: SetupFile, prune = false): Promise<{ plan: Plan; input: object }> {
  const input = { setup, prune };
  return { plan: await inPlace(call<Plan>(login, "setup.plan", input), placed), input };
}

/** Refusals of the server, at the lines of the file. */
async function inPlace<T>(answer: Promise<T>, placed: SetupFile["placed"]): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Failed) || error.issues.length === 0) throw error;
    throw new Failed("The set-up cannot be applied", error.code, placed(error.issues));
  }
}

export const apply = async (file: string, options: Options): Promise<void> => applyFile(await readLogin(), await readSetup(file), options);

async function applyFile(login: Login, file: SetupFile, { json, prune, dryRun }: Options): Promise<void> {
  const { plan, input } = await planOf(login, file, prune);
  if (!json) showPlan(plan);
  if (dryRun || plan.changes.length === 0) {
    if (json) writeJson({ applied: false, ...plan, secrets: [] });
    return;
  }
  const done = await inPlace(call<AdminAnswers["setup"]["update"]>(login, "setup.update", input), file.placed);
  if (json) return writeJson({ applied: true, ...done });
  write("Applied.");
  for (const { site, ...secrets } of done.secrets) {
    write(plain(`Secrets of ${String(site)}, which are not shown again:`));
    for (const [name, secret] of Object.entries(secrets)) write(`  ${name}: ${String(secret)}`);
  }
}

export async function promote({ from, to, toUrl, ...options }: Options & { from: string; to: string; toUrl?: string }): Promise<void> {
  const login = await readLogin();
  const target = toUrl === undefined ? login : loginElsewhere(toUrl);
  const { setup, ...sites } = await promotionOf(askOf(login), from, askOf(target, toUrl), to);
  if (target === login && sites.from === sites.to) throw new WrongUsage("--from and --to are the same site");
  await saidBy(toUrl, applyFile(target, { setup, placed: (issues) => [...issues] }, options));
}

/** A refusal of another installation, with its address before it. */
const saidBy = async <T>(url: string | undefined, answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (url === undefined || !(error instanceof Failed) || error.code === "UNREACHABLE") throw error;
    throw new Failed(`${url}: ${error.message}`, error.code, error.issues);
  });

const askOf =
  (login: Login, url?: string): Ask =>
  (path, input) =>
    saidBy(url, call(login, path, input));

function loginElsewhere(url: string): Login {
  requireAddress(url, "--to-url", "https://tidings.example");
  const token = variable("TIDINGS_TO_TOKEN");
  if (token === undefined) throw new WrongUsage("--to-url needs a token of that installation in TIDINGS_TO_TOKEN");
  return { url, token };
}
