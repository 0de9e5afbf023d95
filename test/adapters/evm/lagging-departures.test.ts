/** A bridge that has left is not made again because one of several nodes behind an address has not seen it yet. */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Attestations from "../../../adapters/evm/cctp/attestations.ts"
import * as CctpBridge from "../../../adapters/evm/cctp/bridge.ts"
import * as DlnBridge from "../../../adapters/evm/dln/bridge.ts"
import * as Estimates from "../../../adapters/evm/dln/estimates.ts"
import type { Connection } from "../../../adapters/evm/node.ts"
import type { Bridge } from "../../../core/ports/bridge.ts"
import { cctpWorld } from "../../support/cctp-world.ts"
import { dlnWorld } from "../../support/dln-world.ts"
import { assertUnavailable } from "../../support/faulty-node.ts"
import * as JsonRpcProxy from "../../support/json-rpc-proxy.ts"

/** Logs are told by a node that has none of the newest blocks, all else by one that has them. */
const lagging: JsonRpcProxy.Tampering = async (asked, pass) => {
  const answers = await pass(asked)
  const tellsLogs = asked.some(({ method }) => method === "eth_getLogs")
  return answers.map((answered) => {
    const method = asked.find(({ id }) => id === answered.id)?.method
    if (!tellsLogs) return answered
    return { id: answered.id, result: method === "eth_getLogs" ? [] : null }
  })
}

/** The newest blocks come after the first call of a batch is answered. */
const catchingUp: JsonRpcProxy.Tampering = async (asked, pass) => {
  const [first, ...others] = await pass(asked)
  const method = asked.find(({ id }) => id === first?.id)?.method
  if (first === undefined || !asked.some((each) => each.method === "eth_getLogs")) {
    return first === undefined ? others : [first, ...others]
  }
  return [{ id: first.id, result: method === "eth_getLogs" ? [] : null }, ...others]
}

/** Blocks are there, and logs are neither told nor refused. */
const silent: JsonRpcProxy.Tampering = async (asked, pass) =>
  (await pass(asked)).map((answered) =>
    asked.find(({ id }) => id === answered.id)?.method === "eth_getLogs"
      ? { id: answered.id, result: null }
      : answered
  )

type World = Effect.Success<typeof cctpWorld> | Effect.Success<typeof dlnWorld>

const test = <W extends World>(
  title: string,
  world: Effect.Effect<W, unknown, Scope.Scope>,
  bridgeOf: (world: W, source: Connection) => Effect.Effect<Bridge, never, Scope.Scope>
) =>
  it.live(
    `${title} is not open while a node that lags tells its logs`,
    () =>
      Effect.gen(function* () {
        const own = yield* world
        const { depart, journey, one, settle } = own
        const proxy = yield* JsonRpcProxy.between(one.connection.rpcUrl)
        const bridge = yield* bridgeOf(own, { ...one.connection, rpcUrl: proxy.rpcUrl })
        const leaving = yield* journey()
        assert.strictEqual((yield* bridge.start(leaving))._tag, "open")
        const txId = yield* depart(leaving)
        yield* settle
        for (const fault of [lagging, catchingUp, silent]) {
          yield* proxy.tamper(fault)
          assertUnavailable(yield* Effect.flip(bridge.start(leaving)), "inconsistent")
        }
        yield* proxy.tamper()
        assert.deepInclude(yield* bridge.start(leaving), { _tag: "left", txId })
      }).pipe(Effect.scoped),
    60_000
  )

test("a burn", cctpWorld, ({ attestationUrl, other }, source) =>
  Effect.map(Attestations.make({ url: attestationUrl }), (attestations) =>
    CctpBridge.make([source, other.connection], () => attestations)
  )
)

test("a limit order", dlnWorld, ({ limitOrdersUrl, other }, source) =>
  Effect.map(Estimates.make({ url: limitOrdersUrl }), (service) =>
    DlnBridge.make([source, other.connection], service)
  )
)
