/** A send's memo on the real programs: it stands right before the transfer, whole, and nothing else may be signed there. */
import { assert, layer } from "@effect/vitest"
import {
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Signature
} from "@solana/kit"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { Effect } from "effect"
import { memoProgram } from "../../../adapters/solana/memo.ts"
import * as Journal from "../../../core/solana/journal.ts"
import { solana } from "../../support/real-send-worlds.ts"
import { look, submissionOf } from "../../support/send-steps.ts"
import { called, ended, freshRecords, kept, SendWorld } from "../../support/send-world.ts"
import { amountMicro } from "../../support/signable-orders.ts"
import * as Solana from "../../support/solana.ts"

const maxBytes = 1232

/** What the programs said in a transaction, line by line. */
const logsOf = Effect.fnUntraced(function* (txId: string) {
  const client = yield* Solana.rpc
  const options = { maxSupportedTransactionVersion: 0, encoding: "json" } as const
  const told = yield* Effect.promise(() =>
    client.getTransaction(txId as Signature, { ...options, commitment: "confirmed" }).send()
  )
  return told?.meta?.logMessages ?? assert.fail("the node does not know it")
})

/** What a transaction asks for, in order. */
const instructionsOf = (wire: string) => {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(wire))
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  assert(message.version === 0)
  return message.instructions.map(({ data, programAddressIndex }) => ({
    program: message.staticAccounts[programAddressIndex],
    data: Uint8Array.from(data ?? [])
  }))
}

const memos = {
  "a short one": "Deposit 42",
  "the longest": "m".repeat(256),
  "one of other letters": "Überweisung № 7 · 発票 🏦"
}

layer(solana)("memos of sends on the local Solana", (it) => {
  for (const [what, memo] of Object.entries(memos)) {
    it.effect(`${what} is written right before the transfer, though an account is opened too`, () =>
      Effect.gen(function* () {
        const meant = yield* kept()
        const proposal = yield* called(meant, { memo })
        yield* look
        const { attempts } = Journal.read(yield* submissionOf(proposal))
        const wire = attempts[0]?.wire ?? assert.fail("nothing was signed")
        assert.isAtMost(getBase64Encoder().encode(wire).length, maxBytes)
        const all = instructionsOf(wire)
        const at = all.findIndex(({ program }) => program === memoProgram)
        assert.strictEqual(new TextDecoder().decode(all[at]?.data), memo)
        assert.strictEqual(all[at + 1]?.program, TOKEN_PROGRAM_ADDRESS)
        const { status, txHashes } = yield* ended(proposal)
        assert.strictEqual(status, "completed")
        assert.strictEqual(yield* (yield* SendWorld).held(meant.address), amountMicro)
        const length = `Memo (len ${Buffer.byteLength(memo)})`
        assert.isTrue((yield* logsOf(txHashes[0] ?? "")).some((line) => line.includes(length)))
      }).pipe(Effect.provide(freshRecords()))
    )
  }

  it.effect("one that asked for none carries none", () =>
    Effect.gen(function* () {
      const { txHashes } = yield* ended(yield* called(yield* kept()))
      const logs = yield* logsOf(txHashes[0] ?? "")
      assert.isEmpty(logs.filter((line) => line.includes("Memo (len")))
    }).pipe(Effect.provide(freshRecords()))
  )
})
