/**
 * Transactions that anvil leaves waiting for good: one that comes while the one before it is being mined may stand among
 * those that wait for it, with all that come after. They are taken out and handed over again, in their order; what waits
 * for a nonce that nobody has used yet is left alone.
 */
import { Effect, Schema } from "effect"

type Call = (method: string, ...params: ReadonlyArray<unknown>) => Effect.Effect<unknown>

const everyMs = 500

/** By sender and nonce. */
const Standing = Schema.Record(
  Schema.String,
  Schema.Record(Schema.String, Schema.Struct({ hash: Schema.String }))
)
const readStatus = Schema.decodeUnknownEffect(Schema.Struct({ queued: Schema.String }))
const readPool = Schema.decodeUnknownEffect(Schema.Struct({ pending: Standing, queued: Standing }))

const handOverAgain = Effect.fnUntraced(function* (
  call: Call,
  sender: string,
  hashes: ReadonlyArray<string>
) {
  const raws = yield* Effect.forEach(hashes, (hash) => call("eth_getRawTransactionByHash", hash))
  yield* call("anvil_removePoolTransactions", sender)
  // Whoever sent one may have handed it over again meanwhile.
  yield* Effect.forEach(raws, (raw) => Effect.exit(call("eth_sendRawTransaction", raw)))
}, Effect.uninterruptible)

/** Looks once; the senders whose transactions it has handed over again. */
export const release = Effect.fnUntraced(function* (call: Call) {
  const { queued: waiting } = yield* readStatus(yield* call("txpool_status"))
  if (Number(waiting) === 0) return []
  const { pending, queued } = yield* readPool(yield* call("txpool_content"))
  return yield* Effect.filter(Object.keys(queued), (sender) =>
    Effect.gen(function* () {
      const next = Number(yield* call("eth_getTransactionCount", sender, "latest"))
      const standing = { ...pending[sender], ...queued[sender] }
      if (queued[sender]?.[next] === undefined) return false
      const inOrder = Object.keys(standing)
        .map(Number)
        .filter((nonce) => nonce >= next)
        .toSorted((one, other) => one - other)
      const hashes = inOrder.flatMap((nonce) => standing[nonce]?.hash ?? [])
      yield* handOverAgain(call, sender, hashes)
      return true
    })
  )
}, Effect.orDie)

/** For as long as it runs, or the node does. */
export const keep = (call: Call): Effect.Effect<void> =>
  Effect.ignoreCause(Effect.forever(Effect.andThen(Effect.sleep(everyMs), release(call))))
