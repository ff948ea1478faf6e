import type { Browser } from "playwright-core";
import { isAtLeast, type Role, roles } from "shared/core/role";
import { paths } from "../../../admin-web/src/paths.ts";
import { lead, openPage } from "../../browser/stack.ts";
import type { LivedWorld } from "../world.ts";
import type { Walked } from "./queries.ts";
import { type Samples, samplesOf } from "./samples.ts";
import { together } from "./together.ts";

type Sample = (name: string) => string;

interface Sight {
  /** What stands on the page, below its heading, once it has its rows. */
  shows: (sample: Sample) => string | RegExp;
  /** The search of the address. */
  search?: (sample: Sample) => string;
  /** The least role that sees it; viewers unless said. */
  least?: Role;
  /** True if it stands in the drawer that the address opens. */
  isDrawer?: true;
}

/** Every page of the dashboard, some in several states, with something that is known to stand on it. */
const sights: Readonly<Record<keyof typeof paths, readonly Sight[]>> = {
  home: [{ shows: () => "Roastery" }, { search: () => "?days=30", shows: () => "Roastery" }],
  signIn: [{ shows: () => "No account yet?" }],
  signUp: [{ shows: () => "You will be its owner." }],
  invite: [{ shows: () => "This link is incomplete" }],
  resetPassword: [{ shows: () => "This link is incomplete" }],
  confirmAlerts: [{ shows: () => "This link is incomplete" }],
  confirmEmail: [{ shows: () => "This link is incomplete" }],
  gettingStarted: [{ shows: () => "Everything is set up" }],
  log: [
    { shows: () => "order_confirmed" },
    { search: () => "?status=failed", shows: () => "cannot send messages to itself" },
    { search: (sample) => `?search=${encodeURIComponent(sample("waMessageId"))}`, shows: () => "order_confirmed" },
    { search: (sample) => `?open=${sample("notificationId")}`, shows: () => "order_confirmed", isDrawer: true },
  ],
  order: [{ shows: () => "order.created received" }],
  customer: [{ shows: () => "order.created received", least: "operator" }],
  scheduled: [{ shows: () => /cart_reminder|appointment_reminder/u }],
  operations: [{ shows: () => "Resend of failed messages" }, { search: () => "?state=finished", shows: () => "Backfill" }],
  statistics: [{ shows: () => "order_confirmed" }, { search: () => "?by=day", shows: () => "Messages by day" }],
  webhooks: [
    { shows: () => /message\.(?:sent|delivered|read|failed)/u },
    { search: (sample) => `?open=${sample("deliveryId")}`, shows: () => "message.", isDrawer: true },
  ],
  endpoint: [{ shows: () => "Event types" }],
  events: [
    { shows: () => "order.created" },
    { search: () => "?outcome=failed", shows: () => "order.created" },
    { search: (sample) => `?search=${sample("reference")}`, shows: () => "order.created" },
    { search: (sample) => `?open=${sample("eventId")}`, shows: () => "order_confirmed", isDrawer: true },
  ],
  phone: [{ shows: () => /thank you for your order/u }],
  sites: [{ shows: () => "https://roastery.example" }],
  site: [{ shows: () => "Roastery" }],
  bindings: [{ shows: () => "order.shipped" }],
  newBinding: [{ shows: () => "Choose a template to see the message.", least: "operator" }],
  binding: [{ shows: () => "Nothing is sent." }],
  templates: [{ shows: () => "order_shipped" }],
  newTemplate: [{ shows: () => "Lower-case letters", least: "operator" }],
  templateGallery: [{ shows: () => "Thank you for your order" }],
  template: [{ shows: () => "Last change from WhatsApp" }],
  developers: [{ shows: () => "Quick start" }],
  topic: [{ shows: () => "Sending again" }],
  settings: [{ shows: () => "Account ID" }],
  general: [{ shows: () => "Account ID" }],
  platform: [{ shows: () => "This account uses the sandbox" }],
  assistant: [{ shows: () => "What it would do", least: "operator" }],
  problems: [{ shows: () => "is switched off because" }],
  // Of many, the newest twenty.
  alerts: [{ shows: () => /is switched off because|^Messages of/u }],
  signInSettings: [{ shows: () => "Second factor" }],
  people: [{ shows: () => "oscar@bean-leaf.example", least: "owner" }],
  tokens: [{ shows: () => /Nightly export|You see your own tokens/u, least: "operator" }],
  privacy: [{ shows: () => "+4915", least: "operator" }],
  audit: [{ shows: () => "Signed in", least: "owner" }],
  myAccount: [{ shows: () => "Current password" }],
};

const closed = /^This page needs the role|^No access/u;

/** Opens every page as owner, operator and viewer in each of its states, until what is known to stand there is visible. Answers what went wrong on them. */
export async function walkPages(browser: Browser | undefined, world: LivedWorld, accountId: string): Promise<Walked> {
  const walked: Walked = { calls: 0, faults: [] };
  const samples = await samplesOf(world, accountId);
  const sample: Sample = (name) => String(samples[name]?.[0]);
  await together(roles, async (role) => {
    await using watched = await openPage(browser, world.adminUrl, { token: await world.tokenOf(accountId, role) });
    const { page, problems } = watched;
    page.on("response", (response) => response.status() >= 500 && problems.push(`${response.status()} ${response.url()}`));
    for (const [name, all] of Object.entries(sights)) {
      for (const { shows, search, least = "viewer", isDrawer } of all) {
        const address = addressOf(paths[name as keyof typeof paths], samples) + (search?.(sample) ?? "");
        walked.calls += 1;
        try {
          await lead(page, address);
          const expected = isAtLeast(role, least) ? shows(sample) : closed;
          const place = isDrawer === true ? page.getByRole("dialog") : page.locator("body");
          await place.getByText(expected).filter({ visible: true }).first().waitFor({ timeout: 20_000 });
        } catch (error) {
          problems.push(error instanceof Error ? (error.message.split("\n").at(-2) ?? error.message) : String(error));
        }
        walked.faults.push(...problems.splice(0).map((problem) => `${address} as ${role}: ${problem}`));
      }
    }
  });
  return walked;
}

const addressOf = (path: string, samples: Samples): string =>
  path.replaceAll(/\$(\w+)/gu, (_, name: string) => encodeURIComponent(String({ topic: ["statuses"], ...samples }[name]?.[0])));
