/**
 * A run about the audit log: the service dies while entries are given their places, and afterwards the
 * whole log verifies offline and begins with every checkpoint that was kept from before.
 */
import { DateTime } from "effect"
import { exportLines, verifyExport } from "../../adapters/secrets/audit-export.ts"
import type { Placed } from "../../core/audit/entry.ts"
import type { Point } from "./points.ts"
import type { Outcome } from "./runs.ts"
import { type Answer, type Scene, until } from "./scene.ts"

/** The notes that a careful owner has kept, by scene. */
const kept = new WeakMap<Scene, Array<string>>()

/** The log as a client reads it; undefined while an entry has no place. */
const logOf = async (scene: Scene, accountId: string) => {
  const entries: Array<Placed> = []
  let cursor = ""
  do {
    const page = await scene.ask("GET", `/api/v1/audit-log?limit=100${cursor}`)
    for (const { createdAt, ...rest } of page.entries as ReadonlyArray<Answer>) {
      if (rest.sequence === null) return undefined
      entries.push({ ...rest, accountId, createdAt: DateTime.makeUnsafe(createdAt) })
    }
    cursor = page.hasMore ? `&cursor=${page.nextCursor}` : ""
  } while (cursor !== "")
  return entries.sort((a, b) => a.sequence - b.sequence)
}

export const audit = async (scene: Scene, point: Point): Promise<Outcome> => {
  const { walletMappingId } = await scene.takeVault()
  const { id } = await scene.ask("GET", "/api/v1/account")
  const before = await scene.ask("GET", "/api/v1/audit-log/checkpoint")
  const notes = [...(kept.get(scene) ?? []), before.checkpoint as string]
  kept.set(scene, notes)
  await scene.arm(point)
  const body = { walletMappingId, amountSmallestUnit: "5000000" }
  const asked = scene.call("POST", "/api/v1/payment-requests", body).catch(() => undefined)
  await scene.dies()
  await asked
  await scene.restart()
  const log = await until("every entry has its place", () => logOf(scene, id))
  const signed = await scene.ask("GET", "/api/v1/audit-log/checkpoint")
  const text = exportLines(log, signed)
  const { problems } = verifyExport(text, before.verifierKey, notes)
  const opened = log.filter(({ action }) => action === "payment_request.created")
  return {
    pid: opened.at(-1)?.subjectId ?? "",
    repeats: 0,
    violations: [
      ...problems.map(({ message }) => `not so: the log verifies: ${message}`),
      ...(signed.treeSize > before.treeSize ? [] : ["not so: the log has grown"])
    ]
  }
}
