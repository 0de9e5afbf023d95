/**
 * Everything the operator sets, as one value with its defaults. Each room reads its own part of it, so that
 * a room never depends on the settings of the rooms above it.
 */
import { Layer } from "effect"
import * as Usdc from "../money/usdc.ts"
import { Deployment } from "../operation/deployment.ts"
import * as RateLimit from "../operation/rate-limit.ts"
import { PaymentSettings } from "../payments/payment-settings.ts"
import { defaultCaps } from "../policy/outlay.ts"
import { plans, tiers } from "../policy/plan.ts"
import { PolicySettings } from "../policy/policy-settings.ts"
import { TokenSettings } from "../tokens/token.ts"
import { defaultKeptDays, WebhookSettings } from "../webhooks/webhook-settings.ts"
import { YieldSettings } from "../yields/vault.ts"
import * as Kinds from "./kinds.ts"
import * as Catalogue from "./operations.ts"
import * as Purposes from "./purposes.ts"
import * as StepWallets from "./step-wallets.ts"
import * as Submitters from "./submitters.ts"
import * as Watches from "./watches.ts"

export type Settings = Deployment["Service"] &
  PolicySettings["Service"] &
  PaymentSettings["Service"] &
  TokenSettings["Service"] &
  WebhookSettings["Service"] &
  YieldSettings["Service"]

/** What is set when nobody says otherwise; where the service is reached has no default. */
export const defaults: Omit<Settings, "siteUrl" | "livemode"> = {
  dustMicro: Usdc.make(10_000n),
  idempotencyLeaseMs: 60_000,
  rateLimits: RateLimit.defaults,
  tiers,
  dailyTradeMicro: null,
  plans,
  plansPayTo: [],
  outlay: defaultCaps,
  tokens: [],
  webhooksKeptDays: defaultKeptDays,
  yieldVaults: []
}

/** Hands the whole value to every room, which reads its own part of it, and with it the registries. */
export const layer = (settings: Settings, rateLimits = settings.rateLimits) =>
  Layer.mergeAll(
    Catalogue.layer,
    Kinds.layer,
    Purposes.layer,
    Submitters.layer,
    StepWallets.layer,
    Watches.layer,
    Layer.succeed(Deployment, {
      siteUrl: settings.siteUrl,
      livemode: settings.livemode,
      idempotencyLeaseMs: settings.idempotencyLeaseMs,
      rateLimits
    }),
    Layer.succeed(PolicySettings, settings),
    Layer.succeed(PaymentSettings, settings),
    Layer.succeed(TokenSettings, settings),
    Layer.succeed(WebhookSettings, settings),
    Layer.succeed(YieldSettings, settings)
  )
