/** What there is help on: commands by what they are for. A command is named under one topic only. */
import { type Bound, bound } from "../../adapters/http/route.ts"
import { kebab } from "./field.ts"

export const topics = {
  payments: "Getting paid: customers, requests, links, deposits",
  webhooks: "Hearing of it: endpoints, deliveries, events",
  wallets: "Wallets, balances, and what they are worth",
  recipients: "Who may be paid",
  sending: "Sending and refunding, and the caps",
  trading: "Swaps, bridges, token approvals, yields",
  approvals: "Co-signers, rules, governance",
  account: "Account, API keys, audit log, guide"
} as const

export type Topic = keyof typeof topics

/** By the first word of an operation's path; the longest that fits decides. */
const places: ReadonlyArray<readonly [string, Topic]> = [
  ["provisioning", "payments"],
  ["checkout", "payments"],
  ["payment-requests", "payments"],
  ["deposits", "payments"],
  ["merchant-webhooks", "webhooks"],
  ["events", "webhooks"],
  ["wallets", "wallets"],
  ["portfolio", "wallets"],
  ["proposals/create-account", "wallets"],
  ["proposals/rename-account", "wallets"],
  ["proposals/wallet-metadata", "wallets"],
  ["recipients", "recipients"],
  ["proposals/recipients", "recipients"],
  ["proposals", "sending"],
  ["policy", "sending"],
  ["policy/token-spender-grants", "trading"],
  ["proposals/swaps", "trading"],
  ["proposals/solana-swaps", "trading"],
  ["proposals/bridges", "trading"],
  ["proposals/token-approve", "trading"],
  ["trade", "trading"],
  ["tokens", "trading"],
  ["yield", "trading"],
  ["cosigners", "approvals"],
  ["governance", "approvals"]
]

const topicOf = ({ route }: Bound): Topic => {
  const path = route.path.replace(/^\/api\/(v1\/)?/u, "")
  const [longest] = places
    .filter(([place]) => path === place || path.startsWith(`${place}/`))
    .sort(([a], [b]) => b.length - a.length)
  return longest?.[1] ?? "account"
}

/** The operations of each topic, in the order of the catalogue. */
export const byTopic: ReadonlyMap<Topic, ReadonlyArray<Bound>> = new Map(
  Object.keys(topics).map((topic) => [
    topic as Topic,
    bound.filter((one) => topicOf(one) === topic)
  ])
)

export const isTopic = (word: string): word is Topic => word in topics

/** The commands of a topic with what they do. */
export const topicRows = (topic: Topic): ReadonlyArray<readonly [string, string]> =>
  (byTopic.get(topic) ?? []).map(({ operation }) => [kebab(operation.name), operation.summary])
