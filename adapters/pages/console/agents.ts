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
