import type { Conditions } from "../conditions.ts";
import type { Schedule } from "../schedule/schedule.ts";
import type { SourceType } from "../site.ts";
import { type GalleryName, type OtherValues, gallery, galleryNames } from "./entries.ts";
import sets from "./ready.json" with { type: "json" };

/** A binding that can be taken over unchanged: a template of the gallery for an event, to the customer. */
export interface ReadyBinding {
  template: GalleryName;
  event: string;
  /** A plain sentence on when it is sent. */
  when: string;
  /** True if most shops send it. */
  isUsual: boolean;
  conditions: Conditions | null;
  schedule: Schedule | null;
  /** The places of values that the shop system keeps elsewhere than our conventions say. */
  values: OtherValues;
}

/** Binds nothing but the template to the event. */
const plain = { isUsual: false, conditions: null, schedule: null, values: {} };

/**
 * The bindings of a set. Who pays on delivery is not to be asked for it before (WooCommerce's way of payment, and Shopify's); gift cards, downloads and what is
 * picked up are not on their way; a refund in several currencies has no single amount that is right; and what is not urgent comes at hours at which it
 * disturbs nobody.
 */
const ready = (set: keyof typeof sets) => sets[set].map((binding) => ({ ...plain, ...binding }) as ReadyBinding);

/** Bindings for a program of one's own, which may post any event: none is usual, and all are offered. */
const ofPrograms = [...ready("orders"), ...ready("paymentFailed"), ...ready("programs"), ...ready("afterwards")];
const others = galleryNames
  .filter((name) => !ofPrograms.some(({ template }) => template === name))
  .map((name) => ({ ...plain, template: name, event: gallery[name].events.at(-1) ?? "", when: "As soon as the event arrives." }));

/** The ready bindings for each kind of source. */
export const readyBindings: Readonly<Record<SourceType, readonly ReadyBinding[]>> = {
  shopify: [...ready("orders"), ...ready("refunded"), ...ready("shopify"), ...ready("afterwards")],
  woocommerce: [...ready("orders"), ...ready("paymentFailed"), ...ready("refunded"), ...ready("afterwards")],
  generic: [...ofPrograms, ...others].map((binding) => ({ ...binding, isUsual: false })),
};
