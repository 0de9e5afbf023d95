/**
 * What must hold of sends once a world has come to rest: each has an end, what is called completed was paid once in a
 * final block, and what is called failed was never paid.
 */
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { keyOf } from "../../../core/chains/address.ts"
import { ledgerOf } from "../chain.ts"
import type { Commit } from "../stores.ts"
import type { World } from "../world.ts"

const ends = ["completed", "failed", "expired", "rejected", "cancelled"]

/** The audit entries that a commit owes for proposals, and for accounts that the chain has opened. */
export const owedForSends = (world: World, commit: Commit): ReadonlyArray<string> => {
  const proposals = commit.of("proposals").flatMap(({ after, before }) => {
    if (after === undefined || before?.status === after.status) return []
    const created = before === undefined ? [`proposal.created ${after.id}`] : []
    const isNew = before === undefined && after.status === "pending_confirm"
    return isNew ? created : [...created, `proposal.${after.status} ${after.id}`]
  })
  const revisions = commit
    .inserted("policy revisions")
    .map(({ number }) => `policy.revised ${number}`)
  const { openAccounts } = ScriptedChain.find(world.chain)
  const opened = commit.inserted("audit").flatMap(({ action, subjectId }) => {
    const wallet = world.stores.get("wallets", subjectId)
    const isOpen = wallet !== undefined && openAccounts.has(keyOf(world.chainId, wallet.address))
    return isOpen && action === "wallet.token_account_opened" ? [`${action} ${subjectId}`] : []
  })
  return [...proposals, ...revisions, ...opened]
}

/** How many were paid. */
export const judgeSends = (world: World): number => {
  const payments = ledgerOf(world)
  let paid = 0
  for (const { status, terms } of world.stores.all("proposals")) {
    const { amountSmallestUnit, toAddress } = terms as Readonly<Record<string, string>>
    const payee = keyOf(world.chainId, toAddress ?? "").valueOf()
    // Each is to a recipient of its own.
    const mine = payments.filter(({ to }) => to === payee)
    if (mine.length > 1) world.bad("I2 a send was paid twice")
    if (mine.some(({ amountMicro }) => `${amountMicro}` !== amountSmallestUnit)) {
      world.bad("I2 a send paid another amount")
    }
    if (status === "completed" && mine.length === 0) world.bad("I3 called completed, and not paid")
    if (status !== "completed" && mine.length > 0 && ends.includes(status)) {
      world.bad(`I3 called ${status}, and paid`)
    }
    if (status === "executing") world.bad("I3 a send has no end")
    paid += mine.length
  }
  return paid
}
