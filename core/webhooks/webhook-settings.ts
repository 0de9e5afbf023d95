/** What the operator sets of webhooks; one value per process. */
import { Context } from "effect"

/** As long as a merchant may want to see again what was sent. */
export const defaultKeptDays = 90

export class WebhookSettings extends Context.Service<
  WebhookSettings,
  {
    /** For so many days events and their deliveries are kept after they were made. */
    readonly webhooksKeptDays: number
  }
>()("bursar/webhooks/WebhookSettings") {}
