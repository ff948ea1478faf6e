import * as alerts from "shared/core/input/alerts";
import * as assistant from "shared/core/input/assistant";
import * as bindings from "shared/core/input/bindings";
import * as settings from "shared/core/input/settings";
import * as sites from "shared/core/input/sites";
import * as team from "shared/core/input/team";
import * as values from "shared/core/input/values";
import * as webhooks from "shared/core/input/webhooks";

/** The inputs of the API that forms check. */
export const schemas = { ...alerts, ...assistant, ...bindings, ...settings, ...sites, ...team, ...values, ...webhooks };
