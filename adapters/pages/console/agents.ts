/** Agents whose accounts the same wallet paid for. */
import { code, time } from "./parts/cells.ts"
import { list, nothing } from "./parts/list.ts"

const agents = list({
  operation: "list_funding_wallet_agents",
  key: "funding_wallet_agents",
  at: "/console/agents",
  section: "keys",
  title: "Agents",
  intro: "Agent accounts that the funding wallet of this account paid for.",
  none: "No agents.",
  beginning: {
    text: "Agents that bought their own account and were claimed by this one would stand here. A key for an agent of your own is made under API keys.",
    first: { href: "/console/keys", text: "Create a key for an agent" }
  },
  idOf: ({ userId }) => userId,
  known: nothing,
  columns: {
    Agent: ({ agentLabel, isCaller }) => (isCaller ? `${agentLabel} (this account)` : agentLabel),
    Account: ({ userId }) => code(userId),
    "Funding wallet": ({ fundingWallet }) => code(fundingWallet.address),
    Chain: ({ fundingWallet }) => fundingWallet.chainId,
    Created: ({ createdAt }) => time(createdAt)
  }
})

export const agentPages = [agents] as const
