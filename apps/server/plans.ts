/** The billing plans of agents' accounts as settings: `price/days/wallets`, and the wallet they are paid to. */
import { Result } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { type Plan, type Plans, plans, type TierName } from "../../core/policy/plan.ts"
import * as Setting from "./setting.ts"

type Terms = Omit<Plan, "name">

const plain = (micro: bigint) => Usdc.format(micro).replace(/\.00$/u, "")

const planText = ({ days, maxWallets, priceMicro }: Terms) =>
  `${plain(priceMicro)}/${days}/${maxWallets}`

const whole = (text: string | undefined, most: number): number | undefined =>
  text !== undefined && /^[1-9]\d{0,5}$/u.test(text) && Number(text) <= most
    ? Number(text)
    : undefined

const maxDays = 3650
const maxWalletsAllowed = 10_000

const readTerms = (text: string): Result.Result<Terms, string> => {
  const [price, days, wallets, ...more] = text.split("/")
  const priceMicro = Usdc.parse(price ?? "")
  const [lasts, maxWallets] = [whole(days, maxDays), whole(wallets, maxWalletsAllowed)]
  if (
    priceMicro === undefined ||
    lasts === undefined ||
    maxWallets === undefined ||
    more.length > 0
  ) {
    return Result.fail(
      `must be price/days/wallets, a price in USDC and whole numbers up to ${maxDays} and ${maxWalletsAllowed}, such as ${planText(plans.personal)}`
    )
  }
  return Result.succeed({ priceMicro, days: lasts, maxWallets })
}

export const plan = (name: TierName) =>
  Setting.parsed(
    `BURSAR_PLAN_${name.toUpperCase()}`,
    `Price of the plan \`${name}\` in USDC, its length in days, and the number of wallets.`,
    planText(plans[name]),
    readTerms
  )

/** A wallet has one address on every chain of its family. */
const soldOn = ["ethereum", "solana"]

const readWallet = (text: string): Address.Address | undefined =>
  soldOn.flatMap((chainId) => {
    const address = Address.parse(chainId, text)
    return address === undefined || Address.whyLost(chainId, address) !== undefined ? [] : [address]
  })[0]

/** Nobody: then no plan is sold. */
export const payTo = Setting.parsed(
  "BURSAR_PLANS_PAY_TO",
  "The wallets that receive payments for plans: `0x…` for every connected EVM chain, and after a comma a Solana address whose USDC account is open. With `off`, no plans are sold.",
  "off",
  (text): Result.Result<ReadonlyArray<Address.Address>, string> => {
    if (text === "off") return Result.succeed([])
    const texts = text.split(",")
    const wallets = texts.flatMap((each) => readWallet(each.trim()) ?? [])
    return wallets.length < texts.length
      ? Result.fail("must be off, or addresses 0x… with a correct checksum or of Solana")
      : Result.succeed(wallets)
  }
)

/** Every plan under its name. */
export const plansOf = (terms: Readonly<Record<TierName, Terms>>): Plans => ({
  personal: { ...terms.personal, name: plans.personal.name },
  startup: { ...terms.startup, name: plans.startup.name }
})
