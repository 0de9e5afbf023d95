/** Books of a hundred thousand movements: each part is written before the next is read, and nothing is kept. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Stream } from "effect"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { closeBooks } from "../../../core/books/close.ts"
import type { FormatName } from "../../../core/books/formats.ts"
import { writeBooks } from "../../../core/books/write.ts"
import { keyOf } from "../../../core/chains/address.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { TokenHistory, type TokenMovement } from "../../../core/ports/token-history.ts"
import * as Value from "../../support/chain-values.ts"

const perPart = 500
const month = {
  from: DateTime.makeUnsafe("2030-01-01T00:00:00Z"),
  to: DateTime.makeUnsafe("2030-02-01T00:00:00Z")
}

/** A chain that makes up a part only when it is asked for it, and remembers none. */
const endless = (
  address: string,
  usdc: string,
  made: { count: number },
  parts: number,
  lost: number
) => {
  const owner = keyOf("local", address)
  const movement = (part: number, at: number): TokenMovement => ({
    txHash: Value.transaction(`0x${(part * perPart + at).toString(16).padStart(64, "0")}`),
    logIndex: at,
    blockNumber: part + 1,
    at: DateTime.add(month.from, { minutes: part }),
    owner,
    token: keyOf("local", usdc),
    units: 3n,
    counterparty: keyOf("local", `0x${"57".repeat(20)}`)
  })
  const total = BigInt(parts * perPart) * 3n
  // Nothing is in the last blocks.
  const newest = parts + 5
  return TokenHistory.of({
    newest: () => Effect.succeed({ number: newest, at: month.to }),
    lastBefore: (_, time) =>
      Effect.succeed({ number: DateTime.Equivalence(time, month.to) ? newest : 0, at: time }),
    balances: (_, number, { owners, tokens }) =>
      Effect.succeed(
        owners.map((each) =>
          tokens.map((token) =>
            number === newest && keyOf("local", each) === owner && token === keyOf("local", usdc)
              ? total
              : 0n
          )
        )
      ),
    movements: () =>
      Stream.unfold(0, (part) =>
        Effect.sync(() => {
          if (part === parts) return undefined
          made.count++
          const count = part === 0 ? perPart - lost : perPart
          const movements = Array.from({ length: count }, (_, at) => movement(part, at))
          return [{ throughBlock: part + 1, movements }, part + 1] as const
        })
      ),
    placeOf: () => Effect.succeed(undefined)
  })
}

const written = async (format: FormatName, parts: number, lost = 0) => {
  const treasury = await openTreasury({ chains: ["local"] })
  const made = { count: 0 }
  const { accountId, wallet } = treasury.agent
  let [ahead, characters, done] = [0, 0, 0]
  let share = 0
  try {
    const count = await treasury.operate(
      Effect.gen(function* () {
        const account = yield* (yield* Accounts).find(accountId)
        const [connected] = (yield* Chains).connected
        const history = endless(wallet.address, connected?.usdc ?? "", made, parts, lost)
        const work = Effect.gen(function* () {
          const closing = yield* closeBooks(account as NonNullable<typeof account>, month)
          const put = (text: string) =>
            Effect.sync(() => {
              characters += text.length
              ahead = Math.max(ahead, made.count - done)
            })
          return yield* writeBooks(closing, format, {
            write: put,
            aside: { put: (_, text) => put(text), take: () => Stream.empty },
            progress: (part) =>
              Effect.sync(() => {
                done++
                share = part.share
              })
          })
        })
        return yield* Effect.result(Effect.provideService(work, TokenHistory, history))
      })
    )
    return { count, ahead, characters, share }
  } finally {
    await treasury.close()
  }
}

describe("books of a hundred thousand movements", () => {
  it("are written part by part, with no part in memory but the one at hand", async () => {
    const { ahead, characters, count } = await written("csv", 200)
    assert.deepStrictEqual(count._tag === "Success" && count.success, 100_000)
    assert.isAtMost(ahead, 1)
    assert.isAbove(characters, 20_000_000)
  }, 120_000)

  for (const format of ["hledger", "beancount", "ofx"] as const) {
    it(`are written as ${format} part by part as well`, async () => {
      const { ahead, count, share } = await written(format, 8)
      assert.deepStrictEqual(count._tag === "Success" && count.success, 4_000)
      assert.isAtMost(ahead, 1)
      // Whoever watches sees the chain read to its end.
      assert.strictEqual(share, 1)
    }, 60_000)
  }

  it("are refused when one of all of them is missing", async () => {
    const { count } = await written("csv", 8, 1)
    assert.strictEqual(count._tag === "Failure" && count.failure._tag, "BooksDiffer")
  }, 60_000)
})
