/** A story of a stolen key: what a thief can do with it is bounded by caps and by whom may be paid, and it ends at once. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as Scene from "./scenes.ts"
import type { Calls, Story, World } from "./world.ts"

const thief = privateKeyToAccount(`0x${"e7".repeat(32)}`)

const everyScope = [
  "balances:read",
  "recipients:read",
  "recipients:write",
  "account:read",
  "cosigners:read",
  "cosigners:write",
  "payment_requests:read",
  "payment_requests:write",
  "proposals:write",
  "keys:manage"
] as const

/** Keys of the thief's own making, children and grandchildren, whom revoking one key must put out too. */
const bolted = Effect.fnUntraced(function* (world: World, stolen: Calls) {
  const child = yield* stolen.create_api_key({ scopes: [...everyScope] })
  const second = world.callsWith(child.apiKey as string)
  const grandchild = yield* second.create_api_key({ scopes: [...everyScope] })
  return [second, world.callsWith(grandchild.apiKey as string)]
})

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
      const children = yield* bolted(world, stolen)
      const sibling = yield* agent.create_api_key({ scopes: ["account:read"] })
      for (const keyId of [made.madeBy as string, sibling.id]) {
        const whole = { keyId, includeDescendants: true }
        const outside = yield* Scene.refusal(stolen.revoke_api_key(whole))
        assert.strictEqual(outside.code, "INSUFFICIENT_SCOPE")
      }
      const url = `https://thief.example/${made.id}`
      yield* stolen.create_merchant_webhook({ url })
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

      const { proposalId } = waiting
      const undecided = yield* Scene.refusal(agent.revoke_api_key({ keyId: made.id }))
      assert.strictEqual(undecided.code, "KEY_HAS_DESCENDANTS")
      const whole = { keyId: made.id, includeDescendants: true }
      const revoked = yield* agent.revoke_api_key(whole)
      assert.strictEqual(revoked.revokedDescendants, 2)
      assert.deepStrictEqual(
        revoked.webhooks.map((each) => each.url),
        [url]
      )
      for (const thiefs of [stolen, ...children]) {
        const ended = yield* Scene.refusal(thiefs.confirm_proposal({ proposalId }))
        assert.strictEqual(ended.code, "UNAUTHENTICATED")
      }
      const { status } = yield* agent.get_proposal({ proposalId })
      assert.strictEqual(status, "superseded")
      const late = yield* Scene.refusal(agent.confirm_proposal({ proposalId }))
      assert.strictEqual(late.code, "PROPOSAL_NOT_CONFIRMABLE")
    })
  }
]
