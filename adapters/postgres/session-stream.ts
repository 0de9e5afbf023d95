/**
 * PGlite's one session as a stream that the PostgreSQL client can speak to. Only whole protocol messages
 * reach the engine, whatever pieces they were written in.
 */
import { Duplex } from "node:stream"
import type { PGlite } from "@electric-sql/pglite"

const startupCode = 196_608
const cancelCode = 80_877_102

/** Where the last whole message of a buffer ends; messages after the first carry a type byte before their length. */
const wholeMessagesEnd = (bytes: Buffer): number => {
  let end = 0
  while (end + 5 <= bytes.length) {
    const next = end + 1 + bytes.readInt32BE(end + 1)
    if (next > bytes.length) break
    end = next
  }
  return end
}

const packetCode = (bytes: Buffer): number => (bytes.length < 8 ? 0 : bytes.readInt32BE(4))

/** What a broken session before this one left behind: an open transaction, named statements. */
const tidied = async (database: PGlite) => {
  await database.exec("rollback")
  await database.exec("discard all")
}

/** A new session; the engine has one, so the one before must have ended. */
export const sessionOver = (database: PGlite): Duplex => {
  let started = false
  let pending: Buffer = Buffer.alloc(0)

  const answer = async (stream: Duplex, bytes: Buffer) => {
    stream.push(Buffer.from(await database.execProtocolRaw(bytes)))
  }

  const take = async (stream: Duplex) => {
    if (!started) {
      if (pending.length < 8 || pending.length < pending.readInt32BE(0)) return
      const packet = pending.subarray(0, pending.readInt32BE(0))
      pending = pending.subarray(packet.length)
      // A statement here runs to its end before anything can ask to cancel it.
      if (packetCode(packet) === cancelCode) return void stream.push(null)
      if (packetCode(packet) !== startupCode) throw new Error("Not a PostgreSQL start-up packet")
      started = true
      await tidied(database)
      await answer(stream, packet)
    }
    const end = wholeMessagesEnd(pending)
    if (end === 0) return
    const whole = pending.subarray(0, end)
    pending = pending.subarray(end)
    await answer(stream, whole)
  }

  return new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      take(this).then(() => done(), done)
    },
    final(done) {
      this.push(null)
      done()
    }
  })
}
