/**
 * PGlite's one session as a stream that the PostgreSQL client can speak to. Only whole protocol messages
 * reach the engine, whatever pieces they were written in.
 */
import { Duplex } from "node:stream"
import type { PGlite } from "@electric-sql/pglite"
import { endless, type Room } from "./room.ts"
import { type Disk, DiskFailed } from "./synced-files.ts"

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

/** Whether the engine's answer ends with its word that no transaction is open. */
const isIdle = (answered: Uint8Array): boolean =>
  answered.at(-6) === "Z".charCodeAt(0) && answered.at(-1) === "I".charCodeAt(0)

/**
 * A new session; the engine has one, so the one before must have ended. It only reads while there is no room, and answers
 * nothing once the disk has failed.
 */
export const sessionOver = (
  database: PGlite,
  room: Room = endless,
  disk: Disk = { hasFailed: false }
): Duplex => {
  let started = false
  let mayBegin = false
  let writes = true
  let pending: Buffer = Buffer.alloc(0)

  const answer = async (stream: Duplex, bytes: Buffer) => {
    const answered = await database.execProtocolRaw(bytes)
    if (disk.hasFailed) throw new DiskFailed()
    mayBegin = isIdle(answered)
    stream.push(Buffer.from(answered))
  }

  /** A transaction that has begun goes on as it is. */
  const heedRoom = async () => {
    if (!mayBegin || room.isThere() === writes) return
    writes = !writes
    await database.exec(`set default_transaction_read_only = ${writes ? "off" : "on"}`)
  }

  const take = async (stream: Duplex) => {
    if (disk.hasFailed) throw new DiskFailed()
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
    await heedRoom()
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
