/** Forms of trades. A form whose operation this version does not serve is not there. */
import { operations } from "../../../core/treasury/operations.ts"
import type { Form } from "./parts/form.ts"
import { laterSigned, toProposal, wallets } from "./parts/form.ts"

/** The quote is taken when it is proposed: what a person approves is the floor, and not a quote of before. */
const without = ["previewQuoteId"]

/** What is sold is taken by a contract, which has to be allowed it. */
const approveFirst = { href: "/console/new/propose_token_approve", text: "Approve a token first" }

export const tradeForms: Readonly<Record<string, Form>> = {
  propose_swap: {
    section: "markets",
    title: "Swap tokens",
    button: "Propose the swap",
    next: toProposal,
    what: `${laterSigned} It sells for at least the floor that it shows, or not at all. Tokens shows what can be traded.`,
    before: approveFirst,
    without,
    choices: wallets("standard", "fromWalletId")
  },
  propose_solana_swap: {
    section: "markets",
    title: "Swap tokens on Solana",
    button: "Propose the swap",
    next: toProposal,
    what: `${laterSigned} It sells for at least the floor that it shows, or not at all. Tokens shows what can be traded.`,
    without,
    choices: wallets("standard", "fromWalletId", "toWalletId")
  },
  propose_bridge: {
    section: "markets",
    title: "Bridge to another chain",
    button: "Propose the bridge",
    next: toProposal,
    what: `${laterSigned} At least the floor that it shows arrives in the other wallet.`,
    before: approveFirst,
    without,
    choices: wallets("standard", "fromWalletId", "toWalletId")
  }
}

/** The ways to trade that this version has. */
export const tradeLinks = operations.flatMap(({ name }) => {
  const form = tradeForms[name]
  return form === undefined ? [] : [{ href: `/console/new/${name}`, text: form.title }]
})
