/**
 * What the page of a proposal shows, all read by operations at that moment: the terms that are hashed, in full and in
 * their own words, and beside them what others call the wallet and the recipient.
 */
import { Effect } from "effect"
import { isSignedByHumans } from "../../../core/proposals/confirm.ts"
import type { AnyKind } from "../../../core/proposals/kind.ts"
import { kinds } from "../../../core/treasury/kinds.ts"
import { historyRows } from "./history.ts"
import { amountIn, otherTerm, placedTerms } from "./other-terms.ts"
import { state, time, transaction } from "./parts/cells.ts"
import type { Fact } from "./parts/facts.tsx"
import type { Visit } from "./parts/guard.ts"
import type { Output } from "./parts/list.ts"
import { followedFrom, type Written } from "./parts/live.ts"
import { inWords, recipientOf, shortened, walletOf } from "./parts/names.ts"
import type { Row } from "./parts/table.tsx"
import type { ProposalProps, Step } from "./proposal.tsx"
import { balanceFacts } from "./proposal-balance.ts"
import { capsOf } from "./proposal-caps.ts"
import { isOver, messageOf, stageOf, type View } from "./proposal-words.ts"
import { anotherApproves, needsAnother } from "./second-person.ts"
import { isTrade, tradeFacts, tradeResult, tradeTerms } from "./trade-shown.ts"

type Terms = Output<"get_proposal_history">["terms"]

const textOf = (terms: Terms, name: string): string | undefined => {
  const value = terms[name]
  return typeof value === "string" ? value : undefined
}

const fact = (name: string, text: string | undefined, code = false): ReadonlyArray<Fact> =>
  text === undefined ? [] : [{ name, text, code }]

/** Whatever else was hashed. */
const rest = (terms: Terms): ReadonlyArray<Fact> =>
  Object.entries(terms).flatMap(([name, value]) =>
    placedTerms.has(name) || value === null || (isTrade(terms) && tradeTerms.has(name))
      ? []
      : [otherTerm(name, value)]
  )

/** What the account calls those that the terms name. */
const namesOf = Effect.fnUntraced(function* (visit: Visit, terms: Terms) {
  return {
    recipient: yield* recipientOf(visit, textOf(terms, "recipientId")),
    wallet: yield* walletOf(
      visit,
      textOf(terms, "fromWalletId") ?? textOf(terms, "accountId") ?? textOf(terms, "walletId")
    ),
    receiving: yield* walletOf(visit, textOf(terms, "toWalletId"))
  }
})

type Named = Effect.Success<ReturnType<typeof namesOf>>

const withShort = (name: string, address: string) => `${name} (${shortened(address)})`

const standingOf = ({ recipient }: Pick<Named, "recipient">): ReadonlyArray<Fact> =>
  recipient?.cooldownActive !== true
    ? recipient?.status === "revoked"
      ? [{ name: "Recipient", text: "revoked", tone: "bad" }]
      : []
    : [{ name: "Cannot be paid before", text: recipient.cooldownEndsAt, isTime: true }]

const factsOf = (terms: Terms, { receiving, recipient, wallet }: Named): ReadonlyArray<Fact> => [
  ...fact("Amount", amountIn(terms)),
  ...tradeFacts(terms),
  ...(recipient === undefined
    ? []
    : [
        {
          name: "To",
          text: withShort(recipient.label, recipient.address),
          href: `/console/recipients/${recipient.id}`
        }
      ]),
  ...fact(
    "Address",
    textOf(terms, "toAddress") ?? textOf(terms, "address") ?? recipient?.address,
    true
  ),
  ...standingOf({ recipient }),
  ...fact("Spender", textOf(terms, "spender"), true),
  ...(wallet === undefined
    ? []
    : [
        {
          name: textOf(terms, "fromWalletId") === undefined ? "Wallet" : "From wallet",
          text: withShort(wallet.nickname ?? wallet.name, wallet.address),
          href: `/console/wallets/${wallet.id}`
        }
      ]),
  ...fact("Wallet address", textOf(terms, "fromAddress"), true),
  ...(receiving === undefined
    ? []
    : [
        {
          name: "To wallet",
          text: withShort(receiving.nickname ?? receiving.name, receiving.address),
          href: `/console/wallets/${receiving.id}`
        }
      ]),
  ...fact("Chain", textOf(terms, "chainId")),
  ...fact("Memo on the chain", textOf(terms, "onChainMemo")),
  ...fact("Memo of each payment", textOf(terms, "requiredMemo")),
  ...fact("Memo", textOf(terms, "memo")),
  ...rest(terms)
]

/** Whether it executes and may be asked to stop, which was not done yet. */
const mayStop = ({ kind, status, subStatus }: View): boolean => {
  const { isStoppable }: AnyKind = kinds[kind]
  return status === "executing" && isStoppable === true && subStatus !== "cancelling"
}

const whose: Readonly<Record<string, string>> = {
  passkey_approval: "A person's passkey",
  governance_signature: "A person's passkey",
  cosigner_approval: "Co-signers"
}

const takesOf = (
  { kind, nextAction, status }: View,
  isAnothers: boolean
): ProposalProps["takes"] => {
  if (status === "pending_confirm") {
    return isSignedByHumans(kinds[kind]) && !isAnothers ? "passkey" : "confirmation"
  }
  if (isAnothers) return "nothing"
  const isUnsigned = nextAction.some(
    ({ received, required, type }) => type !== "cosigner_approval" && received < required
  )
  return status === "requires_action" && isUnsigned ? "passkey" : "nothing"
}

/** What its page was written from. */
const writtenOf = (view: View): Written => {
  const { nextAction, status, steps, subStatus, txHashes, updatedAt } = view
  const received = nextAction.map((action) => action.received)
  const going = steps.map((step) => [step.n, step.status, step.txIds.length])
  return {
    facts: [status, subStatus, updatedAt, txHashes.length, received, going],
    isOver: isOver(view)
  }
}

export const proposalWritten = ({ calls }: Visit, id: string) =>
  Effect.map(calls.get_proposal({ proposalId: id }), writtenOf)

const stepRows = ({ steps }: View): ReadonlyArray<Row> =>
  steps.map(({ at, chainId, kind, n, status, txIds }) => ({
    id: String(n),
    cells: [
      { text: `${n}. ${kind}` },
      state(status),
      { text: chainId },
      transaction(chainId, txIds.at(-1) ?? null),
      time(at)
    ]
  }))

const hashFacts = ({ intentHash, steps, txHashes }: View): ReadonlyArray<Fact> => {
  const told = new Set(steps.map(({ txIds }) => txIds.at(-1)))
  return [
    ...txHashes
      .filter((txHash) => !told.has(txHash))
      .flatMap((text) => fact("Transaction", text, true)),
    ...fact("Intent hash (signed)", intentHash, true)
  ]
}

/** The names of those it concerns in place of their addresses. */
const summaryOf = ({ summary }: View, { receiving, recipient, wallet }: Named) =>
  inWords(summary, {
    byId: new Map(),
    byAddress: new Map([
      ...[wallet, receiving].flatMap((each) =>
        each === undefined ? [] : [[each.address, each.nickname ?? each.name] as const]
      ),
      ...(recipient === undefined ? [] : [[recipient.address, recipient.label] as const])
    ])
  })

export const proposalShown = Effect.fnUntraced(function* (visit: Visit, id: string) {
  const { calls, who } = visit
  const view = yield* calls.get_proposal({ proposalId: id })
  const { history, terms } = yield* calls.get_proposal_history({ proposalId: id })
  const names = yield* namesOf(visit, terms)
  const { expiresAt, intentHash, kind, nextAction, proposalId, status } = view
  const [proposed] = historyRows(history.slice(0, 1))
  const from = names.wallet && { ...names.wallet, name: names.wallet.nickname ?? names.wallet.name }
  const isAnothers = takesOf(view, false) === "passkey" && (yield* needsAnother(visit, history))
  const props: ProposalProps = {
    who,
    proposalId,
    live: followedFrom(writtenOf(view)),
    title: kinds[kind].title,
    summary: summaryOf(view, names),
    proposedBy: proposed?.cells[1]?.text ?? "",
    proposedAt: view.createdAt,
    status,
    stage: stageOf(view),
    message: isAnothers
      ? anotherApproves(status !== "pending_confirm")
      : messageOf(view, isSignedByHumans(kinds[kind]), kinds[kind]),
    history: historyRows(history),
    chainSteps: stepRows(view),
    facts: [
      ...factsOf(terms, names),
      ...(yield* balanceFacts(view, terms, from, calls)),
      ...tradeResult(view, terms)
    ],
    rules: yield* capsOf(view, terms, calls),
    steps: nextAction.map(
      ({ received, required, type }): Step => ({ who: whose[type] ?? type, received, required })
    ),
    hashes: hashFacts(view),
    intentHash,
    expiresAt,
    takes: takesOf(view, isAnothers),
    mayStop: mayStop(view),
    mayCancel: status === "pending_confirm" || status === "requires_action"
  }
  return props
})
