/** A story of a stolen key: what a thief can do with it is bounded by caps and by whom may be paid, and it ends at once. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as Scene from "./scenes.ts"
import type { Story } from "./world.ts"

const thief = privateKeyToAccount(`0x${"e7".repeat(32)}`)

const everyScope = [
  "balances:read",
  "recipients:read",
  "recipients:write",
  "account:read",
  "cosigners:read",
  "cosigners:write",
  "proposals:write"
] as const

export const stealing: ReadonlyArray<Story> = [
  {
    title:
      "who steals an agent's key pays nobody new and nothing above its caps, until it is revoked",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { wallets } = yield* agent.list_wallets({})
      const wallet = wallets.find(({ kind }) => kind === "standard")
      const fromWalletId = wallet?.id as string
      yield* world.pay(wallet?.address as string, 5_000_000_000n)
      const [payee] = (yield* agent.list_recipients({})).recipients
      const recipientId = payee?.id as string
      const made = yield* agent.create_api_key({ scopes: [...everyScope] })
      const stolen = world.callsWith(made.apiKey as string)

      const own = { address: thief.address, chainId: "local" }
      const { challenge } = yield* stolen.add_recipient(own)
      const walletSignature = yield* Effect.promise(() =>
        thief.signMessage({ message: challenge?.message ?? "" })
      )
      const proof = { challengeId: challenge?.challengeId as string, walletSignature }
      const forged = yield* Scene.refusal(stolen.add_recipient({ ...own, ...proof }))
      assert.strictEqual(forged.code, "INVALID_SIGNATURE")
      const { id: cosignerUserId } = yield* world.calls.get_account({})
      assert.isDefined((yield* stolen.invite_cosigner({ cosignerUserId })).challenge)
      const wider = yield* Scene.refusal(stolen.create_api_key({ scopes: ["keys:manage"] }))
      assert.strictEqual(wider.code, "INSUFFICIENT_SCOPE")
      const { recipients } = yield* stolen.list_recipients({})
      assert.notInclude(JSON.stringify(recipients), thief.address)

      const waiting = yield* stolen.propose_transfer({ recipientId, fromWalletId, amountUsdc: "9" })
      const tries = yield* Effect.forEach(
        ["1000", "1000", "1000", "1000"],
        (amountUsdc) =>
          Effect.exit(
            Effect.flatMap(
              stolen.propose_transfer({ recipientId, fromWalletId, amountUsdc }),
              ({ proposalId }) => stolen.confirm_proposal({ proposalId })
            )
          ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(tries.filter(({ _tag }) => _tag === "Success").length, 2)
      assert.strictEqual((yield* agent.get_policy_limits({})).dailyUsedUsd, "2000.00")

      yield* agent.revoke_api_key({ keyId: made.id })
      const { proposalId } = waiting
      const ended = yield* Scene.refusal(stolen.confirm_proposal({ proposalId }))
      assert.strictEqual(ended.code, "UNAUTHENTICATED")
      const cancelled = yield* agent.cancel_proposal({ proposalId })
      assert.strictEqual(cancelled.status, "cancelled")
    })
  }
]
