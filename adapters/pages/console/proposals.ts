/** All proposals, waiting or ended, the newest first. */
import { link, state, time } from "./parts/cells.ts"
import { list } from "./parts/list.ts"
import { inWords, namesOf } from "./parts/names.ts"

const proposals = list({
  operation: "list_proposals",
  key: "proposals",
  at: "/console/proposals",
  section: "proposals",
  title: "Proposals",
  none: "No proposals.",
  idOf: ({ proposalId }) => proposalId,
  known: namesOf,
  columns: {
    Proposal: ({ proposalId, summary }, names) =>
      link(`/console/proposals/${proposalId}`, inWords(summary, names)),
    Status: ({ status }) => state(status),
    Outcome: ({ outcome }) => outcome?.replaceAll("_", " ") ?? null,
    Kind: ({ kind }) => kind.replaceAll("_", " "),
    Created: ({ createdAt }) => time(createdAt),
    "Last change": ({ updatedAt }) => time(updatedAt)
  },
  actions: [
    { href: "/console/new/propose_transfer", text: "Send USDC" },
    { href: "/console/new/propose_refund", text: "Refund" }
  ]
})

export const proposalPages = [proposals] as const
