/** All proposals, waiting or ended, the newest first; and those that trade, with the step that each is at. */
import { Effect } from "effect"
import { link, state, time } from "./parts/cells.ts"
import { list } from "./parts/list.ts"
import { inWords, namesOf, offering, recipientChoices } from "./parts/names.ts"
import { tradeLinks } from "./trade-forms.ts"

const recipients = offering({ recipientId: recipientChoices })

const proposals = list({
  operation: "list_proposals",
  key: "proposals",
  choices: recipients,
  at: "/console/proposals",
  section: "proposals",
  title: "Proposals",
  none: "No proposals.",
  beginning: {
    text: "Every payment, trade and change of wallets begins as a proposal, which is approved here and stays with its history.",
    first: { href: "/console/new/propose_transfer", text: "Propose the first payment" }
  },
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

/** The kinds that trade, as the forms of trades propose them. */
const ofTrades = {
  kind: {
    choices: [
      { value: "swap", text: "swap" },
      { value: "solana_swap", text: "swap on Solana" },
      { value: "bridge", text: "bridge" }
    ]
  }
}

const trades = list({
  operation: "list_proposals",
  key: "proposals",
  choices: (visit, query) =>
    Effect.map(recipients(visit, query), (offers) => ({ ...offers, ...ofTrades })),
  at: "/console/trades",
  section: "proposals",
  title: "Trades",
  intro:
    "Swaps on one chain, on Solana, and bridges from chain to chain; the kind says which are shown.",
  none: "No trades of this kind.",
  beginning: {
    text: "Swaps stand here with their floor and their steps; choose another kind above for bridges and swaps on Solana.",
    first: { href: "/console/tokens", text: "See which tokens can be traded" }
  },
  idOf: ({ proposalId }) => proposalId,
  known: namesOf,
  usual: () => Effect.succeed({ kind: "swap" }),
  columns: {
    Trade: ({ proposalId, summary }, names) =>
      link(`/console/proposals/${proposalId}`, inWords(summary, names)),
    Status: ({ status }) => state(status),
    "Step under way": ({ steps, subStatus }) => {
      const last = steps.at(-1)
      return last === undefined ? null : `${last.n}. ${last.kind}, ${subStatus ?? last.status}`
    },
    Outcome: ({ outcome }) => outcome?.replaceAll("_", " ") ?? null,
    Created: ({ createdAt }) => time(createdAt),
    "Last change": ({ updatedAt }) => time(updatedAt)
  },
  actions: tradeLinks
})

export const proposalPages = [proposals, trades] as const
