/**
 * An owner with money, and everybody who may come to co-sign for it: two of one wallet, one of the owner's
 * own, some without any. All on one treasury; each life gets accounts of its own.
 */
import { Effect } from "effect"
import { ChainScript } from "../../../../adapters/memory/chains.ts"
import { fundingWallet } from "../../../../apps/testing/seed.ts"
import { openAccount } from "../../../../core/accounts/open.ts"
import { type KeyKind, Scope } from "../../../../core/operation/caller.ts"
import { Atomically } from "../../../../core/ports/atomically.ts"
import { Ids } from "../../../../core/ports/ids.ts"
import { Recipients } from "../../../../core/recipients/recipient-store.ts"
import { seedAccounts } from "../../../../core/treasury/seed.ts"
import { type Calls, callsOf } from "../../../../core/treasury/treasury.ts"
import * as Value from "../../../support/chain-values.ts"
import type { Person, VoterName } from "./step.ts"

/** As different chains and hands write the same wallets. */
const wallets: Readonly<Record<Person, string | undefined>> = {
  ada: `0x${"aD".repeat(20)}`,
  "ada's twin": `0x${"Ad".repeat(20)}`,
  ben: undefined,
  cleo: `0x${"c1".repeat(20)}`,
  dora: undefined,
  "owner's twin": fundingWallet.address.toLowerCase()
}

const payee = {
  label: "Payee",
  address: Value.address("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
}

export const addresses = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77"
]

export interface CosignerGroup {
  readonly ownerId: string
  readonly walletId: string
  readonly payeeId: string
  readonly agent: Calls
  /** A human's key of the owner's account, which begins cooldowns. */
  readonly human: Calls
  readonly accountIds: ReadonlyMap<VoterName, string>
  readonly calls: ReadonlyMap<VoterName, Calls>
}

const callerOf = Effect.fnUntraced(function* (accountId: string, kind: KeyKind) {
  const keyId = yield* (yield* Ids).uuid
  return callsOf({ accountId, keyId, kind, scopes: new Set(Scope.literals) })
})

const joiner = Effect.fnUntraced(function* (name: VoterName, wallet: string | undefined) {
  const kind = wallet === undefined ? "developer" : "agent"
  const paid =
    wallet === undefined
      ? {}
      : { fundingWallet: { chainId: "base", address: Value.address(wallet) } }
  const { id } = yield* openAccount({ name, kind, tier: "personal", ...paid })
  return [name, id, yield* callerOf(id, kind)] as const
})

export const group = Effect.gen(function* () {
  const { account, wallet } = yield* (yield* Atomically).run(
    seedAccounts({
      kind: "agent",
      name: "Owner",
      tier: "startup",
      chainId: "local",
      customer: { externalId: "customer", namespace: "default" },
      fundingWallet: { chainId: "local", address: Value.address(fundingWallet.address) },
      payee
    })
  )
  yield* (yield* ChainScript).pay({ to: wallet.address, amountMicro: 1_000_000_000_000n })
  const [known] = (yield* (yield* Recipients).list(account.id, { limit: 1 })).rows
  const agent = yield* callerOf(account.id, "agent")
  const joiners = yield* Effect.forEach(Object.entries(wallets), ([name, each]) =>
    joiner(name as Person, each)
  )
  const all = [
    ...joiners,
    yield* joiner("stranger", undefined),
    ["owner", account.id, agent] as const
  ]
  return {
    ownerId: account.id,
    walletId: wallet.id,
    payeeId: known?.id ?? "",
    agent,
    human: yield* callerOf(account.id, "developer"),
    accountIds: new Map(all.map(([name, id]) => [name, id])),
    calls: new Map(all.map(([name, , calls]) => [name, calls]))
  } satisfies CosignerGroup
})
