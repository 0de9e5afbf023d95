/**
 * A kind of three steps in the service under test: it stands in the registries beside the product's own, and what it
 * waits for is a file that outlives every process. What was posted is counted there, line by line.
 */
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { DateTime, Effect, Layer, Schema } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { Address, keyOf } from "../../core/chains/address.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Chains } from "../../core/ports/chains.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { intentOf } from "../../core/proposals/propose.ts"
import { kinds } from "../../core/treasury/kinds.ts"
import { watches } from "../../core/treasury/watches.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import * as SendingRows from "../support/sending-rows.ts"
import { Attester, stepped, watch } from "../support/stepped-kind.ts"

/** Before anything reads the registries. */
export const register = () => {
  Object.assign(kinds, { three_steps: stepped })
  Object.assign(watches, { attester: watch })
}

/** Where claims are kept, and the file that lets the attester attest. */
export const placesIn = (directory: string) => ({
  claims: join(directory, "claims"),
  attests: join(directory, "claims", "attests")
})

export const claimFile = (directory: string, uid: string) =>
  join(placesIn(directory).claims, createHash("sha256").update(uid).digest("hex"))

export const attester = (directory: string): Layer.Layer<Attester> => {
  const { attests, claims } = placesIn(directory)
  mkdirSync(claims, { recursive: true })
  return Layer.succeed(Attester, {
    post: (uid) => Effect.sync(() => appendFileSync(claimFile(directory, uid), "posted\n")),
    attested: (uid) =>
      Effect.sync(() =>
        existsSync(attests) && existsSync(claimFile(directory, uid)) ? "12" : undefined
      )
  })
}

export interface Proposing {
  readonly ask: "propose"
  readonly agentKey: string
  readonly walletId: string
  readonly burnTo: string
  readonly mintTo: string
  readonly units: string
}

/** What the records say of an execution: what it held of the caps, and its waits. */
export interface Reading {
  readonly ask: "read"
  readonly proposalId: string
}

export const propose = Effect.fnUntraced(function* (asked: Proposing) {
  const { accountId } = yield* authenticate(asked.agentKey)
  const wallet = yield* (yield* Wallets).find(accountId, asked.walletId)
  const [chain] = (yield* Chains).connected
  if (wallet === undefined || chain === undefined) {
    return yield* Effect.die(new Error("There is no such wallet, or no chain."))
  }
  const meant = {
    fromWalletId: wallet.id,
    fromAddress: wallet.address,
    chainId: wallet.chainId,
    token: keyOf(wallet.chainId, chain.usdc),
    burnTo: Address.make(asked.burnTo),
    mintTo: Address.make(asked.mintTo),
    amountSmallestUnit: Usdc.make(BigInt(asked.units)),
    reserveMicro: null
  }
  const terms = yield* Schema.encodeUnknownEffect(Schema.toCodecJson(stepped.terms))(meant)
  const now = yield* DateTime.now
  const draft = SendingRows.aProposal(accountId, {
    kind: "three_steps",
    terms: terms as Proposal["terms"],
    createdAt: now,
    updatedAt: now,
    expiresAt: DateTime.add(now, { hours: 1 })
  })
  const intentHash = (yield* Secrets).sha256(canonical(intentOf(draft)))
  yield* (yield* Proposals).propose({ ...draft, intentHash })
  return draft.id
})

export const read = Effect.fnUntraced(function* ({ proposalId }: Reading) {
  const held = yield* (yield* Spending).heldBy(proposalId)
  const waits = yield* (yield* WaitStore).ofProposals([proposalId])
  return {
    held: held?.state ?? "nothing",
    ended: waits.map(({ ended }) => ended?.isDone ?? null)
  }
})
