/** What a sender makes of nodes that refuse, lag, lie or serve another token. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EvmRelay } from "../../../core/evm/relay.ts"
import * as Anvil from "../../support/anvil.ts"
import { payouts, world } from "../../support/anvil-sending-chain.ts"
import { assertUnavailable, changing, tamper } from "../../support/faulty-node.ts"
import type { Asked } from "../../support/json-rpc-proxy.ts"
import {
  assertPaidBy,
  attemptOf,
  broadcast,
  fundedAndAuthorized,
  orderOf,
  PayingWorld,
  trace
} from "../../support/sending-chain.ts"
import { addressOf } from "../../support/watched-chain.ts"

/** Answers calls of some methods with an error, for as long as the effect takes. */
const whileRefusing = <A, E, R>(
  methods: string | ReadonlyArray<string>,
  message: string,
  effect: Effect.Effect<A, E, R>,
  code = -32000
) =>
  tamper(
    changing((asked, answered) =>
      [methods].flat().includes(asked.method)
        ? { id: answered.id, error: { code, message } }
        : answered
    )
  ).pipe(Effect.andThen(effect), Effect.ensuring(tamper()))

/** Answers calls that a test picks with something else. */
const whileAnswering = <A, E, R>(
  result: unknown,
  picks: (asked: Asked) => boolean,
  effect: Effect.Effect<A, E, R>
) =>
  tamper(
    changing((asked, answered) => (picks(asked) ? { id: answered.id, result } : answered))
  ).pipe(Effect.andThen(effect), Effect.ensuring(tamper()))

const isMethod = (method: string) => (asked: Asked) => asked.method === method

const sending = { to: addressOf("1"), amountMicro: 5n }

layer(world)("sends and their nodes", (it) => {
  it.effect("a node that knows the bytes, or has the nonce in a block, is content", () =>
    Effect.gen(function* () {
      const attempt = yield* attemptOf(yield* fundedAndAuthorized({ ...sending, keyNumber: 1 }))
      for (const said of [
        "already known",
        "transaction already imported",
        "Transaction already in pool",
        "known transaction: 0x12",
        "nonce too low: next nonce 5, tx nonce 4",
        "ALREADY_EXISTS: already known"
      ]) {
        yield* whileRefusing("eth_sendRawTransaction", said, broadcast(attempt))
      }
    })
  )

  it.effect("any other refusal is told, as one that says nothing about what was taken", () =>
    Effect.gen(function* () {
      const attempt = yield* attemptOf(yield* fundedAndAuthorized({ ...sending, keyNumber: 2 }))
      for (const [said, reason] of [
        ["replacement transaction underpriced", "inconsistent"],
        ["insufficient funds for gas * price + value", "inconsistent"],
        ["transaction gas limit exceeds the block's", "inconsistent"],
        ["too many requests", "limited"]
      ] as const) {
        const refused = yield* Effect.flip(
          whileRefusing("eth_sendRawTransaction", said, broadcast(attempt))
        )
        assertUnavailable(refused, reason)
        assert.include(refused.detail, said)
      }
    })
  )

  it.effect("a node that advises no tip is asked what others gave", () =>
    Effect.gen(function* () {
      const { chainId, mine } = yield* PayingWorld
      const { conditions } = yield* EvmRelay
      const authorization = yield* fundedAndAuthorized({ ...sending, keyNumber: 3 })
      yield* broadcast(yield* attemptOf(authorization))
      yield* mine(1)
      const told = yield* conditions(chainId)
      const asked = yield* whileRefusing(
        "eth_maxPriorityFeePerGas",
        "the method eth_maxPriorityFeePerGas does not exist/is not available",
        conditions(chainId),
        -32601
      )
      assert.isAbove(Number(asked.maxPriorityFeePerGas), 0)
      const { maxFeePerGas, maxPriorityFeePerGas } = asked
      assert.strictEqual(
        maxFeePerGas - maxPriorityFeePerGas,
        told.maxFeePerGas - told.maxPriorityFeePerGas
      )
      yield* conditions(chainId).pipe(
        (asking) => whileRefusing("eth_maxPriorityFeePerGas", "too many requests", asking),
        Effect.flip,
        Effect.tap((refused) => Effect.sync(() => assertUnavailable(refused, "limited")))
      )
    })
  )

  it.effect("a revert is told from a node that cannot answer", () =>
    Effect.gen(function* () {
      const { simulate } = yield* EvmRelay
      const authorization = yield* fundedAndAuthorized({ ...sending, keyNumber: 4 })
      const trial = (said: string) =>
        whileRefusing(["eth_call", "eth_estimateGas"], said, simulate(authorization))
      assert.deepStrictEqual(yield* trial("execution reverted"), {
        _tag: "would_revert",
        reason: "The token refuses it."
      })
      assert.deepStrictEqual(yield* trial("out of gas"), {
        _tag: "would_revert",
        reason: "The token takes more gas than a send is given."
      })
      const long = `execution reverted: ${"x".repeat(300)}`
      assert.deepStrictEqual(yield* trial(long), {
        _tag: "would_revert",
        reason: "x".repeat(120)
      })
      assertUnavailable(yield* Effect.flip(trial("header not found")), "inconsistent")
      // The words of the estimate count: a node may say less of a call.
      const said = whileRefusing("eth_call", "execution reverted", simulate(authorization))
      assert.propertyVal(yield* said, "_tag", "ok")
      assertUnavailable(
        yield* Effect.flip(whileRefusing("eth_call", "too many requests", simulate(authorization))),
        "limited"
      )
    })
  )

  it.effect("a receipt of a block that stands no more is not believed", () =>
    Effect.gen(function* () {
      const { mine, reorg } = yield* PayingWorld
      const { call } = yield* Anvil.AnvilChain
      const authorization = yield* fundedAndAuthorized({ ...sending, keyNumber: 5 })
      const attempt = yield* attemptOf(authorization)
      yield* broadcast(attempt)
      yield* mine(1)
      const stale = yield* call("eth_getTransactionReceipt", attempt.txHash)
      yield* reorg(1, [])
      const refused = yield* whileAnswering(
        stale,
        isMethod("eth_getTransactionReceipt"),
        Effect.flip(trace(authorization, attempt))
      )
      assertUnavailable(refused, "inconsistent")
      assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "pending" })
    })
  )

  it.effect("a backend that lags behind cannot make a paid send impossible", () =>
    Effect.gen(function* () {
      const { confirmations, mine, timePasses } = yield* PayingWorld
      const authorization = yield* fundedAndAuthorized({
        ...sending,
        keyNumber: 6,
        lastsSeconds: 60
      })
      const attempt = yield* attemptOf(authorization)
      yield* broadcast(attempt)
      yield* mine(1)
      yield* timePasses(120)
      yield* mine(confirmations)
      const isUnaware = (asked: Asked) =>
        asked.method === "eth_getTransactionReceipt" ||
        (asked.method === "eth_call" && asked.params[1] === "latest")
      yield* tamper(
        changing((asked, answered) => {
          if (!isUnaware(asked)) return answered
          const result = asked.method === "eth_call" ? `0x${"0".repeat(64)}` : null
          return { id: answered.id, result }
        })
      )
      const traced = yield* trace(authorization, attempt)
      yield* tamper()
      assert.deepStrictEqual(traced, { _tag: "pending" })
      assertPaidBy(yield* trace(authorization, attempt), attempt)
    })
  )

  it.effect("a used authorization whose log is nowhere is neither paid nor impossible", () =>
    Effect.gen(function* () {
      const { chainId, mine, rival } = yield* PayingWorld
      const authorization = yield* fundedAndAuthorized({ ...sending, keyNumber: 7 })
      const theirs = yield* attemptOf(authorization, { by: rival })
      yield* rival.broadcast(chainId, theirs.raw)
      yield* mine(1)
      const refused = yield* whileAnswering(
        [],
        isMethod("eth_getLogs"),
        Effect.flip(trace(authorization))
      )
      assertUnavailable(refused, "inconsistent")
      assertPaidBy(yield* trace(authorization), theirs)
    })
  )

  it.effect("a token that signs under another domain than it tells is not spoken to", () =>
    Effect.gen(function* () {
      const fresh = yield* Effect.provide(EvmRelay, payouts())
      const asksSeparator = (asked: Asked) =>
        asked.method === "eth_call" && JSON.stringify(asked.params).includes("0x3644e515")
      const refused = yield* whileAnswering(
        `0x${"12".repeat(32)}`,
        asksSeparator,
        Effect.flip(fresh.conditions("local"))
      )
      assertUnavailable(refused, "wrong_chain")
      assert.isAbove((yield* fresh.conditions("local")).chainTime, 0)
    })
  )

  it.effect("the token's domain is asked for once", () =>
    Effect.gen(function* () {
      const { proxy } = yield* Anvil.AnvilChain
      const fresh = yield* Effect.provide(EvmRelay, payouts())
      const before = proxy.asked().length
      yield* fresh.conditions("local")
      yield* fresh.authorize(yield* orderOf({ ...sending, keyNumber: 1 }))
      yield* fresh.conditions("local")
      const asked = proxy.asked().slice(before).flat()
      const separators = asked.filter((call) => JSON.stringify(call.params).includes("0x3644e515"))
      assert.lengthOf(separators, 1)
    })
  )
})
