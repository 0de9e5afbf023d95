/** Names are resolved by asking name servers, both families at once, and one of them is enough. */
import { createSocket } from "node:dgram"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NameLookup from "../../../adapters/webhook-sender/name-lookup.ts"
import * as Outside from "./outside.ts"

type Records = Readonly<Record<string, ReadonlyArray<Buffer>>>

const v4 = (...octets: ReadonlyArray<number>) => Buffer.from(octets)
const v6 = (hex: string) => Buffer.from(hex, "hex")

/** Answers a DNS question from records kept under `<type> <name>`; fails the type that has none. */
const answer = (question: Buffer, records: Records): Buffer => {
  const labels: Array<string> = []
  let at = 12
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  const type = question.readUInt16BE(at + 1)
  const found = records[`${type} ${labels.join(".").toLowerCase()}`]
  const head = Buffer.alloc(12)
  question.copy(head, 0, 0, 2)
  const serverFailure = 2
  head.writeUInt16BE(0x8180 | (found === undefined ? serverFailure : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(found?.length ?? 0, 6)
  const answers = (found ?? []).map((address) => {
    const fixed = Buffer.from("c00c00000001000000000000", "hex")
    fixed.writeUInt16BE(type, 2)
    fixed.writeUInt16BE(address.length, 10)
    return Buffer.concat([fixed, address])
  })
  return Buffer.concat([head, question.subarray(12, at + 5), ...answers])
}

const nameServer = Effect.fnUntraced(function* (records: Records) {
  const socket = createSocket("udp4")
  socket.on("message", (question, from) => {
    socket.send(answer(question, records), from.port, from.address)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      socket.bind(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => Effect.sync(() => socket.close())
  )
  return NameLookup.make([`127.0.0.1:${socket.address().port}`])
})

const a = 1
const aaaa = 28

it.live("a name has the addresses of both families, IPv4 first", () =>
  Effect.gen(function* () {
    const lookup = yield* nameServer({
      [`${aaaa} both.example.com`]: [v6("26062800022000010248189325c81946")],
      [`${a} both.example.com`]: [v4(93, 184, 216, 34), v4(93, 184, 216, 35)]
    })
    assert.deepStrictEqual(yield* Effect.promise(() => lookup("both.example.com")), [
      "93.184.216.34",
      "93.184.216.35",
      "2606:2800:220:1:248:1893:25c8:1946"
    ])
  })
)

it.live("a server that fails for one family does not hide the other", () =>
  Effect.gen(function* () {
    const lookup = yield* nameServer({ [`${a} four.example.com`]: [v4(8, 8, 8, 8)] })
    assert.deepStrictEqual(yield* Effect.promise(() => lookup("four.example.com")), ["8.8.8.8"])
  })
)

it.live("a name without addresses is told as dns, one that points inside as blocked", () =>
  Effect.gen(function* () {
    const lookup = yield* nameServer({
      [`${a} inside.example.com`]: [v4(10, 0, 0, 1)],
      [`${aaaa} inside.example.com`]: [],
      [`${a} empty.example.com`]: [],
      [`${aaaa} empty.example.com`]: []
    })
    const carry = yield* Outside.courierWith({ lookup })
    for (const [name, reason] of [
      ["inside", "blocked"],
      ["empty", "dns"],
      ["unknown", "dns"]
    ]) {
      const reply = yield* carry(`https://${name}.example.com/`)
      assert.strictEqual(Outside.outcome(reply), reason)
      assert.notInclude(JSON.stringify(reply), "10.0.0.1")
    }
  })
)

it.live("a lookup that never ends costs the deadline, and its parcel is not sent afterwards", () =>
  Effect.gen(function* () {
    const { sink, url } = yield* Outside.open()
    const late = Promise.withResolvers<ReadonlyArray<string>>()
    let first = true
    const carry = yield* Outside.courierWith({
      deadlineMs: 300,
      lookup: () => {
        const pending = first ? late.promise : Promise.resolve([Outside.publicAddress])
        first = false
        return pending
      }
    })
    assert.strictEqual(Outside.outcome(yield* carry(url("/late"))), "timeout")
    late.resolve([Outside.publicAddress])
    assert.strictEqual(Outside.outcome(yield* carry(url("/next"))), 200)
    assert.deepStrictEqual(
      sink.received.map(({ path }) => path),
      ["/next"]
    )
  })
)
