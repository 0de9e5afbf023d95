/**
 * What must hold once a world of traders has come to rest: every proposal has an end that the chains agree with, and
 * each wallet holds what its proposals say, to the last unit. Money is in exactly one place.
 */

import { doneOn } from "../../../adapters/memory/scripted-bridge.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { keyOf } from "../../../core/chains/address.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import type { Conversation } from "../client.ts"
import type { World } from "../world.ts"
import type { Outside } from "./outside.ts"
import { isOnChain, signedOrders } from "./rules.ts"
import { fundedGold, fundedMicro, gold, outsider, usdc } from "./setting.ts"

const textIn = (proposal: Proposal, field: string): string => String(proposal.terms[field])

/** What a proposal that was executed moved of a token of a wallet. */
const movedBy = (proposal: Proposal, { id }: Wallet, token: string): bigint => {
  if (proposal.outcome !== "executed") return 0n
  const { kind, result, terms } = proposal
  if (kind === "send" || kind === "refund") {
    const isIt = terms.fromWalletId === id && token !== gold
    return isIt ? -BigInt(textIn(proposal, "amountSmallestUnit")) : 0n
  }
  if (kind !== "swap" && kind !== "bridge") return 0n
  const at = (side: unknown) => {
    const { chainId, tokenAddress } = side as { chainId: string; tokenAddress: string }
    return keyOf(chainId, tokenAddress) === token
  }
  const swapSide = (side: unknown) => {
    const { tokenAddress } = side as { tokenAddress: string }
    return keyOf("local", tokenAddress) === token
  }
  const isOf = kind === "bridge" ? at : swapSide
  const sold =
    terms.fromWalletId === id && isOf(terms.sell) ? BigInt(result?.soldAmount ?? "0") : 0n
  const bought =
    terms.toWalletId === id && isOf(terms.buy) ? BigInt(result?.boughtAmount ?? "0") : 0n
  return bought - sold
}

/** What strangers paid into a vault, off the blocks. */
const paidInto = (world: World, { address, chainId }: Wallet): bigint => {
  const to = keyOf(chainId, address)
  return ScriptedChain.find(world.chain, chainId)
    .blocks.flatMap(({ payments }) => payments)
    .filter((payment) => payment.to === to && payment.from === outsider)
    .reduce((total, { amountMicro }) => total + amountMicro, 0n)
}

const balanceRules = (world: World) => {
  const proposals = world.stores.all("proposals")
  for (const wallet of world.stores.all("wallets")) {
    const { address, chainId, kind } = wallet
    const chain = ScriptedChain.find(world.chain, chainId)
    const token = usdc[chainId as keyof typeof usdc]
    const moved = (of: string) =>
      proposals.reduce((total, each) => total + movedBy(each, wallet, of), 0n)
    const given = kind === "standard" ? fundedMicro : 0n
    const due = given + paidInto(world, wallet) + moved(token)
    const held = ScriptedChain.balance(chain, address)
    if (held !== due) {
      world.bad(`I4 a ${kind} wallet on ${chainId} holds ${held} and should hold ${due}`)
    }
    if (chainId !== "local" || kind !== "standard") continue
    const heldGold = chain.others.get(gold)?.balances.get(keyOf(chainId, address)) ?? 0n
    const dueGold = fundedGold + moved(gold)
    if (heldGold !== dueGold) world.bad(`I4 a wallet holds ${heldGold} GOLD instead of ${dueGold}`)
  }
}

/** By the chain, a swap sold once if it was executed, and never if it was not. */
const saleRules = (world: World, outside: Outside) => {
  const filled = new Set(
    outside.orders.flatMap(({ orderId, status }) => (status._tag === "filled" ? [orderId] : []))
  )
  const known = signedOrders(world)
  const written = new Set([...known.values()].flatMap((orders) => [...orders.keys()]))
  for (const { orderId } of outside.orders) {
    if (!written.has(orderId)) world.bad("I2 the venue has an order that nobody wrote down")
  }
  for (const { id, kind, outcome } of world.stores.all("proposals")) {
    if (kind !== "swap") continue
    const sold = [...(known.get(id)?.keys() ?? [])].filter((orderId) => filled.has(orderId)).length
    if (sold > 1) world.bad(`I2 one proposal sold ${sold} times`)
    if ((sold === 1) !== (outcome === "executed")) {
      world.bad(`I2 a swap whose outcome is ${outcome} sold ${sold} times`)
    }
  }
}

const bridgeRules = (world: World) => {
  const submissions = world.stores.all("submissions").map(({ submission }) => submission)
  for (const { id, kind, outcome, terms } of world.stores.all("proposals")) {
    if (kind !== "bridge") continue
    const { chainId } = terms.sell as { readonly chainId: string }
    const chain = ScriptedChain.find(world.chain, chainId)
    const identities = submissions
      .filter(({ purpose }) => purpose.proposalId === id && purpose.name === "bridge_departure")
      .map(({ terms: of }) => of.identity)
    const hasLeft = identities.some((identity) => doneOn(chain, "depart", identity) !== undefined)
    if (hasLeft !== (outcome === "executed")) {
      world.bad(`I2 a bridge whose outcome is ${outcome} has ${hasLeft ? "" : "not "}left`)
    }
  }
}

const endRules = (world: World) => {
  const waiting = ["pending_confirm", "requires_action"]
  for (const { kind, status } of world.stores.all("proposals")) {
    if (status === "executing") world.bad(`I3 a ${kind} executes for ever`)
    if (waiting.includes(status)) world.bad(`I3 a ${kind} is ${status} for ever`)
  }
  for (const { wait } of world.stores.all("waits")) {
    if (wait.ended === null) world.bad(`I3 a wait of ${wait.watch} never ends`)
    const evidence = wait.ended?.evidence ?? null
    if (evidence !== null && !isOnChain(world, evidence)) {
      world.bad("I2 what ended a wait was taken back by the chain")
    }
  }
  for (const { state } of world.stores.all("sales")) {
    if (state === "open") world.bad("I3 a sale is open for ever")
  }
}

/** I17: one key proposes one thing, and every answer under it names that. */
const onceRules = (world: World, conversations: ReadonlyArray<Conversation>) => {
  const keys = world.stores
    .all("proposals")
    .flatMap(({ accountId, call }) =>
      call === null ? [] : [`${accountId} ${call.operation} ${call.idempotencyKey}`]
    )
  if (new Set(keys).size < keys.length) world.bad("I17 one key proposed twice")
  for (const { answers, isOpen, operation } of conversations) {
    const named = new Set(answers.map(({ proposalId }) => proposalId))
    if (named.size > 1) world.bad(`I17 ${operation} answered with two proposals`)
    if (isOpen) world.bad(`I17 ${operation} is never answered`)
  }
}

/** Judges a world that has come to rest, or should have. */
export const judgeTradeRest = (
  world: World,
  outside: Outside,
  conversations: ReadonlyArray<Conversation>
): void => {
  endRules(world)
  saleRules(world, outside)
  bridgeRules(world)
  balanceRules(world)
  onceRules(world, conversations)
}
