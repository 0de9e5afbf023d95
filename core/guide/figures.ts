/** The guide's sections that have figures: every one is read from the running installation or from the code that obeys it. */
import { maxPerHour } from "../agents/resend-claim-link.ts"
import * as Usdc from "../money/usdc.ts"
import type { Deployment } from "../operation/deployment.ts"
import * as Operation from "../operation/operation.ts"
import type { PolicySettings } from "../policy/policy-settings.ts"
import { actWithinDays } from "../proposals/proposal.ts"
import { cooldownHours } from "../recipients/recipient.ts"
import type { Section } from "./topics.ts"

/** What of the installation the guide tells. */
export type Facts = Deployment["Service"] & PolicySettings["Service"]

const tierNames = ["personal", "startup"] as const

const usd = (micro: bigint) => `${Usdc.format(micro)} USD`

const sizes = (catalogue: ReadonlyArray<Operation.Any>): string => {
  const kib = (bytes: number) => `${bytes / 1024} KiB`
  const larger = catalogue
    .filter(({ maxBodyBytes }) => maxBodyBytes > Operation.defaultMaxBodyBytes)
    .map(({ maxBodyBytes, name }) => `, of ${name} ${kib(maxBodyBytes)}`)
  return `A body is at most ${kib(Operation.defaultMaxBodyBytes)}${larger.join("")}.`
}

/** What bounds calls, sizes, money and time. */
export const limitsOf = (
  { rateLimits, tiers }: Facts,
  catalogue: ReadonlyArray<Operation.Any>
): ReadonlyArray<Section> => [
  {
    title: "Rate limits",
    body: `Per key and minute: ${rateLimits.reads} reads, ${rateLimits.writes} writes, ${rateLimits.quotes} quotes, ${rateLimits.confirms} confirms, over REST and tools together. The headers RateLimit and Retry-After show what is left. A client address can send ${rateLimits.failures} invalid keys a minute.`
  },
  {
    title: "Sizes",
    body: `${sizes(catalogue)} Lists give 20 rows, at most 100 at a time; follow nextCursor. A wallet has at most 20 tags, a job at most 1000 customers, a payment request at most 20 metadata keys.`
  },
  {
    title: "Spending",
    body: "get_policy_limits shows the caps per transfer, UTC day and UTC month, and what is left of each. They cover all wallets and count a transfer when it starts; a failed transfer is subtracted again. Transfers between the account's own wallets do not count. An API key can have restrictions of its own; simulate_transfer checks both."
  },
  ...tierNames.map((name) => {
    const { dailyMicro, hardCapMicro, monthlyMicro, perTransferMicro } = tiers[name]
    return {
      title: `Caps of the tier ${name}`,
      body: `${usd(perTransferMicro)} per transfer, ${usd(dailyMicro)} per UTC day, ${usd(monthlyMicro)} per UTC month; hard cap ${usd(hardCapMicro)} per transfer.`
    }
  }),
  {
    title: "Times",
    body: `A proposal waits 24 hours for its confirmation and ${actWithinDays} days for approvals. A new recipient's cooldown is ${cooldownHours} hours. A challenge is valid for 10 minutes. Payment requests expire after 30 days by default, and after 365 at most. A webhook is attempted 10 times over about 72 hours. Signatures are valid for 300 seconds. A claim link is valid for 72 hours; at most ${maxPerHour} are sent per hour.`
  }
]

/** What plans and payments cost. */
export const pricingOf = ({ plans, plansPayTo }: Facts): ReadonlyArray<Section> => [
  {
    title: "Pricing",
    body: "This treasury is self-hosted and takes no fee. It pays the chain fees of its own transfers and of x402 payments; other payers pay the fees of their payments."
  },
  ...tierNames.map((name) => {
    const { days, maxWallets, name: title, priceMicro } = plans[name]
    return {
      title: `Plan ${name}`,
      body: `${title}: ${Usdc.format(priceMicro)} USDC for ${days} days, with up to ${maxWallets} wallets and the caps of the tier ${name}.`
    }
  }),
  {
    title: "Buying a plan",
    body: `${
      plansPayTo.length === 0
        ? "Plans are not sold here; the operator sets them."
        : "Plans are sold by x402: POST /api/agents opens an account, POST /api/agents/renew extends its plan, and both answer 402 with the price."
    } get_policy_limits shows an account's plan and its end. Nothing is locked when a plan ends; the caps and the number of wallets are then those of the plan personal.`
  }
]
