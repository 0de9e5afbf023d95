/** Who tried to take an order back is looked for in whole blocks, which hold up nothing else that the node is asked. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { strangersAt } from "../../../../adapters/evm/dln/strangers.ts"
import * as Node from "../../../../adapters/evm/node.ts"
import { dlnWorld } from "../../../support/dln-world.ts"
import * as JsonRpcProxy from "../../../support/json-rpc-proxy.ts"

const isWhole = ({ method, params }: JsonRpcProxy.Asked): boolean =>
  method === "eth_getBlockByNumber" && params[1] === true

it.live(
  "a node that gives no whole blocks answers everything else, and is not waited for long",
  () =>
    Effect.gen(function* () {
      const { journey, other } = yield* dlnWorld
      const proxy = yield* JsonRpcProxy.between(other.connection.rpcUrl)
      const node = Node.make({ ...other.connection, rpcUrl: proxy.rpcUrl })
      const out = yield* journey()
      yield* other.mine(30)
      const { through } = yield* strangersAt(node, out, null)
      const whole = proxy.asked().filter((calls) => calls.some(isWhole))
      assert.lengthOf(whole, 25)
      assert.isTrue(whole.every((calls) => calls.length === 1))
      assert.isAtLeast(through, 30)
      yield* proxy.tamper((calls, pass) => (calls.some(isWhole) ? "silence" : pass(calls)))
      const beganMs = Date.now()
      const look = yield* Effect.forkChild(Effect.exit(strangersAt(node, out, null)))
      for (let round = 0; round < 20; round++) {
        yield* node.ask([{ method: "eth_gasPrice", params: [] }])
        yield* Effect.sleep("20 millis")
      }
      const { _tag } = yield* Fiber.join(look)
      assert.strictEqual(_tag, "Failure")
      assert.isBelow(Date.now() - beganMs, 9_000)
    }).pipe(Effect.scoped),
  60_000
)
