/** What a treasury sees when the backends of its node lie, lag or contradict one another. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Anvil from "../../support/anvil.ts"
import {
  ada,
  asksLogsBy,
  assertUnavailable,
  changing,
  connectedBy,
  lookFrom,
  placeAtTip,
  tamper
} from "../../support/faulty-node.ts"

layer(Layer.provideMerge(Anvil.chains, Anvil.layer))("backends that disagree", (it) => {
  it.effect("another token's Transfer is not money", () =>
    Effect.gen(function* () {
      const { call, pay, payer, usdc } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      // Logs the Transfer of 49 to ada from whoever calls: a token anyone can make.
      const counterfeit = [
        ...["6031", "600052", `73${ada.slice(2)}`, "33"],
        "7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
        ...["6020", "6000", "a3", "00"]
      ].join("")
      const contract = `0x${"cf".repeat(20)}`
      yield* call("anvil_setCode", contract, `0x${counterfeit}`)
      const transaction = { from: payer, to: contract, gas: "0x15f90" }
      const txHash = yield* call("eth_sendTransaction", transaction)
      yield* call("evm_mine")
      const receipt = yield* call("eth_getTransactionReceipt", txHash)
      assert.nestedPropertyVal(receipt, "logs[0].address", contract)
      const real = yield* pay(ada, 49n)
      const { transfers } = yield* lookFrom(place)
      assert.deepStrictEqual(
        transfers.map((transfer) => transfer.txHash),
        [real]
      )
      assert.notStrictEqual(usdc, contract)
    })
  )

  it.effect("a backend that leaves out logs of some blocks is asked for them by block", () =>
    Effect.gen(function* () {
      const { pay } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      const txHashes = [yield* pay(ada, 1n), yield* pay(ada, 2n), yield* pay(ada, 3n)]
      yield* tamper(
        changing((asked, answered) =>
          asksLogsBy("fromBlock")(asked)
            ? { ...answered, result: (answered.result as Array<unknown>).slice(1, 2) }
            : answered
        )
      )
      const { transfers } = yield* lookFrom(place)
      yield* tamper()
      assert.deepStrictEqual(
        transfers.map(({ txHash }) => txHash),
        txHashes
      )
    })
  )

  it.effect("one that has not the block of the logs it owes is not believed", () =>
    Effect.gen(function* () {
      const { pay } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      const txHash = yield* pay(ada, 1n)
      yield* tamper(
        changing((asked, answered) => {
          if (asksLogsBy("fromBlock")(asked)) return { ...answered, result: [] }
          if (!asksLogsBy("blockHash")(asked)) return answered
          return { id: answered.id, error: { code: -32000, message: "unknown block" } }
        })
      )
      const error = yield* Effect.flip(lookFrom(place))
      yield* tamper()
      assertUnavailable(error, "inconsistent")
      const { transfers } = yield* lookFrom(place)
      assert.deepStrictEqual(
        transfers.map((transfer) => transfer.txHash),
        [txHash]
      )
    })
  )

  it.effect("blocks that do not link to the place are never taken", () =>
    Effect.gen(function* () {
      const { mine } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      yield* mine(3)
      yield* tamper(
        changing((asked, answered) =>
          asked.params[0] === `0x${((place.blocks[0]?.number ?? 0) + 2).toString(16)}`
            ? {
                ...answered,
                result: { ...(answered.result as object), parentHash: `0x${"e".repeat(64)}` }
              }
            : answered
        )
      )
      const error = yield* Effect.flip(lookFrom(place))
      yield* tamper()
      assertUnavailable(error, "inconsistent")
    })
  )

  it.effect("a log of a block that is not among those taken is never taken", () =>
    Effect.gen(function* () {
      const { pay } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      yield* pay(ada, 1n)
      const elsewhere = { blockHash: `0x${"e".repeat(64)}` }
      yield* tamper(
        changing((asked, answered) =>
          asksLogsBy("fromBlock")(asked)
            ? {
                ...answered,
                result: (answered.result as Array<object>).map((log) => ({ ...log, ...elsewhere }))
              }
            : answered
        )
      )
      const error = yield* Effect.flip(lookFrom(place))
      yield* tamper()
      assertUnavailable(error, "inconsistent")
    })
  )

  it.effect("backends that disagree for a moment are asked again", () =>
    Effect.gen(function* () {
      const { pay } = yield* Anvil.AnvilChain
      const place = yield* placeAtTip
      const txHash = yield* pay(ada, 5n)
      let disagreements = 2
      yield* tamper(
        changing((asked, answered) => {
          if (!asksLogsBy("fromBlock")(asked) || disagreements === 0) return answered
          disagreements--
          return { id: answered.id, error: { code: -32000, message: "header not found" } }
        })
      )
      const { transfers } = yield* lookFrom(place)
      yield* tamper()
      assert.strictEqual(disagreements, 0)
      assert.strictEqual(transfers[0]?.txHash, txHash)
    })
  )

  it.effect("a backend that has lost old blocks does not make a reorganisation too deep", () =>
    Effect.gen(function* () {
      const { mine, reorg } = yield* Anvil.AnvilChain
      const start = yield* placeAtTip
      yield* mine(2)
      const { blocks } = yield* lookFrom(start)
      const place = { blocks: [...start.blocks, ...blocks] }
      yield* reorg(1)
      const old = place.blocks.slice(0, 2).map(({ number }) => `0x${number.toString(16)}`)
      yield* tamper(
        changing((asked, answered) =>
          old.includes(String(asked.params[0])) ? { ...answered, result: null } : answered
        )
      )
      const error = yield* Effect.flip(lookFrom(place))
      yield* tamper()
      assertUnavailable(error, "inconsistent")
      assert.strictEqual((yield* lookFrom(place)).commonNumber, blocks[0]?.number)
    })
  )

  it.effect("a backend behind the place shows nothing new, and takes nothing back", () =>
    connectedBy(
      { mayRestart: false },
      Effect.gen(function* () {
        const { mine, rollBack } = yield* Anvil.AnvilChain
        const start = yield* placeAtTip
        yield* mine(3)
        const { blocks } = yield* lookFrom(start)
        const place = { blocks: [...start.blocks, ...blocks] }
        yield* rollBack(2)
        const { finalNumber: _, ...seen } = yield* lookFrom(place)
        const tip = (start.blocks[0]?.number ?? 0) + 3
        assert.deepStrictEqual(seen, {
          head: tip,
          commonNumber: tip,
          blocks: [],
          transfers: [],
          atHead: true
        })
      })
    )
  )

  it.effect("blocks the node calls finalized are final before they have their confirmations", () =>
    connectedBy(
      { useFinalizedTag: true, confirmations: 1000 },
      Effect.gen(function* () {
        const place = yield* placeAtTip
        yield* tamper(
          changing((asked, answered) =>
            asked.params[0] === "finalized"
              ? { ...answered, result: { ...(answered.result as object), number: "0x2" } }
              : answered
          )
        )
        const { finalNumber } = yield* lookFrom(place)
        yield* tamper()
        assert.strictEqual(finalNumber, 2)
      })
    )
  )
})
