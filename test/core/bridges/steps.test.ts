/** What comes after a permit that failed: the chain is asked whether the money left, as other records may have let it go. */
import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import { next } from "../../../core/bridges/steps.ts"
import type { Terms } from "../../../core/bridges/terms.ts"
import { TransactionId } from "../../../core/chains/address.ts"
import type { Step } from "../../../core/waits/next-step.ts"
import { newWait, type Wait } from "../../../core/waits/wait.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"

const at = DateTime.makeUnsafe("2030-01-01T00:00:00Z")
const moment = { now: at, proposalId: "proposal", accountId: "account", isStopAsked: false }
const wallet = Rows.aWallet("account", { chainId: "local" })
const usdc = Value.address(`0x${"a1".repeat(20)}`)
const side = (chainId: string) => ({ chainId, tokenAddress: usdc, symbol: "USDC", decimals: 6 })

const approved = {
  fromWalletId: wallet.id,
  fromAddress: wallet.address,
  toWalletId: "there",
  receiver: Value.address(`0x${"cd".repeat(20)}`),
  sell: side("local"),
  sellAmount: 100n,
  buy: side("local-2"),
  minBuyAmount: 99n,
  protocol: "cctp",
  slippagePercent: "0.5",
  worthUsd: "0.0001",
  maxCostUsd: "0.0001",
  notAfter: DateTime.makeUnsafe("2030-01-08T00:00:00Z")
} as unknown as Terms

const waited = (n: number, watch: string, journal: Wait["journal"], isDone: boolean): Step => {
  const open = newWait(
    {
      ...{ id: `wait ${n}`, accountId: "account", proposalId: "proposal", n, watch },
      ...{ kind: "burn", chainId: "local", terms: {}, deadline: at, isStopAsked: false }
    },
    at
  )
  const wait: Wait = { ...open, journal, ended: { isDone, evidence: null, at } }
  return { _tag: "wait", n, kind: "burn", isEnded: true, isDone, wait }
}

const opening = waited(
  1,
  "bridge_opening",
  {
    ...{ minBuyAmount: "99", offer: {}, spender: usdc.toLowerCase(), call: {} },
    ...{ coinUnits: "0", estimatedSeconds: 1 }
  },
  true
)

const submission = SendingRows.aSubmission(
  { accountId: "account", id: "proposal" },
  wallet,
  { act: "permit" },
  {
    status: "failed",
    reason: "The day is closed.",
    purpose: { name: "bridge_permit", accountId: "account", proposalId: "proposal" }
  }
)

const permit: Step = {
  ...{ _tag: "submission", n: 2, kind: "permit" },
  ...{ isEnded: true, isDone: false, submission }
}

it("a permit that failed ends nothing before the chain was asked whether the money left", () => {
  const looking = next(approved, [opening, permit], moment)
  assert.deepInclude(looking, { _tag: "wait", watch: "bridge_departure", chainId: "local" })
  const departed = TransactionId.make(`0x${"11".repeat(32)}`)
  const found = waited(3, "bridge_departure", { departed }, true)
  const following = next(approved, [opening, permit, found], moment)
  assert.deepInclude(following, { _tag: "wait", watch: "bridge_attestation" })
  const absent = waited(3, "bridge_departure", {}, false)
  assert.deepStrictEqual(next(approved, [opening, permit, absent], moment), {
    ...{ _tag: "end", outcome: "not_executed", reason: "The day is closed." }
  })
})
