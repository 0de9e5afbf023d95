/** Stories of an agent that governs: its funding wallet signs for one change, once, and for no other. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const chainId = "local"
const supplier = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
const other = "0x52908400098527886E0F7030069857D2E4169EE7"

/** The challenge for adding an address, with the funding wallet's signature. */
const signedFor = Effect.fnUntraced(function* (world: World, address: string, nickname: string) {
  const { challenge } = yield* world.agent.add_recipient({ address, chainId, nickname })
  assert.isDefined(challenge)
  const message = challenge?.message as string
  const walletSignature = yield* world.fundingWalletSigns(message)
  return { challengeId: challenge?.challengeId as string, walletSignature, message }
})

const recipientOf = Effect.fnUntraced(function* (world: World, address: string) {
  const { recipients } = yield* world.agent.list_recipients({})
  return recipients.find((each) => each.address === address)
})

export const governing: ReadonlyArray<Story> = [
  {
    title: "an agent adds a recipient with its funding wallet's signature, and pays it at once",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { message, ...signed } = yield* signedFor(world, supplier, "Supplier")
      assert.include(message, supplier)
      assert.notInclude(message, "Supplier")
      assert.isUndefined(yield* recipientOf(world, supplier))
      const input = { address: supplier, chainId, nickname: "Supplier", ...signed }
      const done = yield* agent.add_recipient(input)
      assert.strictEqual(done.status, "completed")
      const recipient = yield* recipientOf(world, supplier)
      assert.strictEqual(recipient?.status, "approved")
      assert.isFalse(recipient?.cooldownActive)
      const { wallets } = yield* agent.list_wallets({})
      const wallet = wallets.find((each) => each.kind === "standard")
      yield* world.pay(wallet?.address as string, 5_000_000n)
      const proposal = yield* agent.propose_transfer({
        recipientId: recipient?.id as string,
        fromWalletId: wallet?.id as string,
        amountUsdc: "5"
      })
      assert.strictEqual(proposal.status, "pending_confirm")
    })
  },
  {
    title: "of many uses of one challenge at once, one changes anything",
    tell: Effect.fnUntraced(function* (world) {
      const { message: _message, ...signed } = yield* signedFor(world, other, "Twice")
      const input = { address: other, chainId, nickname: "Twice", ...signed }
      const uses = yield* Effect.all(
        Array.from({ length: 64 }, () => Effect.result(world.agent.add_recipient(input))),
        { concurrency: "unbounded" }
      )
      const codes = uses.map((use) =>
        use._tag === "Success" ? String(use.success.status) : use.failure.code
      )
      assert.strictEqual(codes.filter((code) => code === "completed").length, 1)
      const refused = codes.filter((code) => code !== "completed")
      for (const code of refused) assert.strictEqual(code, "CHALLENGE_EXPIRED")
      assert.strictEqual(refused.length, 63)
    })
  },
  {
    title: "a signature for one change is good for no other",
    tell: Effect.fnUntraced(function* (world) {
      const { agent, calls } = world
      const { message, ...signed } = yield* signedFor(world, supplier, "Supplier")
      const asked = { address: supplier, chainId, nickname: "Supplier", ...signed }
      const forged = `${signed.walletSignature.slice(0, -4)}${
        signed.walletSignature.slice(-4, -2) === "00" ? "01" : "00"
      }${signed.walletSignature.slice(-2)}`
      const { challenge } = yield* agent.add_recipient({ address: other, chainId })
      const wrong: ReadonlyArray<readonly [typeof asked, string]> = [
        [{ ...asked, address: other }, "CHALLENGE_MISMATCH"],
        [{ ...asked, address: supplier.toLowerCase() }, "CHALLENGE_MISMATCH"],
        [{ ...asked, nickname: "Somebody" }, "CHALLENGE_MISMATCH"],
        [{ ...asked, chainId: "eip155:31337" }, "CHALLENGE_MISMATCH"],
        [{ ...asked, challengeId: challenge?.challengeId as string }, "CHALLENGE_MISMATCH"],
        [{ ...asked, challengeId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" }, "CHALLENGE_MISMATCH"],
        [{ ...asked, walletSignature: forged }, "INVALID_SIGNATURE"],
        [
          { ...asked, walletSignature: yield* world.fundingWalletSigns(`${message} `) },
          "INVALID_SIGNATURE"
        ]
      ]
      for (const [input, code] of wrong) {
        assert.strictEqual((yield* Scene.refusal(agent.add_recipient(input))).code, code)
      }
      const human = yield* Scene.refusal(calls.add_recipient(asked))
      assert.strictEqual(human.code, "AGENT_KEY_REQUIRED")
      const { walletSignature: _missing, ...half } = asked
      assert.strictEqual((yield* Scene.refusal(agent.add_recipient(half))).code, "INVALID_REQUEST")
      assert.isUndefined(yield* recipientOf(world, supplier))
      assert.strictEqual((yield* agent.add_recipient(asked)).status, "completed")
    })
  },
  {
    title:
      "an agent's own wallet takes its funding wallet's signature too, and is free of caps then",
    tell: Effect.fnUntraced(function* (world) {
      const { agent, calls } = world
      const { wallets } = yield* agent.list_wallets({})
      const vault = wallets.find((each) => each.kind === "collection")
      const address = vault?.address as string
      const { message, ...signed } = yield* signedFor(world, address, "Vault")
      assert.include(message, "a wallet of its own, without caps")
      assert.isUndefined(yield* recipientOf(world, address))
      const forged = { ...signed, walletSignature: yield* world.fundingWalletSigns("another") }
      const input = { address, chainId, nickname: "Vault" }
      const refused = yield* Scene.refusal(agent.add_recipient({ ...input, ...forged }))
      assert.strictEqual(refused.code, "INVALID_SIGNATURE")
      assert.isUndefined(yield* recipientOf(world, address))
      assert.strictEqual((yield* agent.add_recipient({ ...input, ...signed })).status, "completed")
      const recipient = yield* recipientOf(world, address)
      assert.strictEqual(recipient?.status, "approved")
      assert.isFalse(recipient?.cooldownActive)
      // A person's session says who asks, so nothing more is signed for.
      const { wallets: theirs } = yield* calls.list_wallets({})
      const own = theirs.find((each) => each.kind === "standard" && each.chainId === chainId)
      const done = yield* calls.add_recipient({ address: own?.address as string, chainId })
      assert.strictEqual(done.status, "completed")
    })
  },
  {
    title: "a human's approval of a recipient waits for their passkey, and its cooldown goes on",
    tell: Effect.fnUntraced(function* ({ calls }) {
      const added = yield* calls.add_recipient({ address: supplier, chainId })
      const done = yield* calls.confirm_proposal({ proposalId: added.proposalId as string })
      assert.match(done.message, /list_recipients .* cooldown/u)
      const { recipients } = yield* calls.list_recipients({})
      const cooling = recipients.find((each) => each.address === supplier)
      const proposal = yield* calls.approve_recipient({ recipientId: cooling?.id as string })
      assert.strictEqual(proposal.kind, "approve_recipient")
      const { governance_requests: open } = yield* calls.list_governance_requests({})
      assert.strictEqual(open[0]?.action, "approve_recipient")
      const waiting = yield* calls.confirm_proposal({ proposalId: proposal.proposalId as string })
      assert.strictEqual(waiting.status, "requires_action")
      assert.strictEqual(waiting.nextAction[0]?.type, "governance_signature")
      const { recipients: after } = yield* calls.list_recipients({})
      assert.isTrue(after.find((each) => each.id === cooling?.id)?.cooldownActive)
    })
  }
]
