/** Files of texts that leave the records: each run writes to a draft of its own, and what was left of a killed one goes. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeFolder, writing } from "../../../apps/cli/operator/archive-file.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

it.live("two that write at once for one account do not write to each other's file", () =>
  Effect.gen(function* () {
    const folder = join(yield* temporaryFolder("bursar-archive-file-"), "new", "folder")
    yield* makeFolder(folder)
    const name = (done: string) => done
    yield* writing(
      folder,
      "audit-one",
      Effect.fnUntraced(function* (write) {
        yield* write("slow 1\n")
        yield* writing(folder, "audit-one", (other) => Effect.as(other("quick\n"), "quick"), name)
        yield* write("slow 2\n")
        return "slow"
      }),
      name
    )
    assert.strictEqual(readFileSync(join(folder, "quick"), "utf8"), "quick\n")
    assert.strictEqual(readFileSync(join(folder, "slow"), "utf8"), "slow 1\nslow 2\n")
  }).pipe(Effect.scoped)
)

it.live("a draft that nobody writes on any more goes, and no other", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder("bursar-archive-file-")
    const names = ["audit-one.left.part", "audit-one.young.part", "audit-two.left.part"]
    for (const name of names) writeFileSync(join(folder, name), "")
    const longAgo = new Date(Date.now() - 7_200_000)
    for (const name of names) {
      if (!name.includes("young")) utimesSync(join(folder, name), longAgo, longAgo)
    }
    yield* writing(
      folder,
      "audit-one",
      () => Effect.succeed(undefined),
      () => undefined
    )
    assert.deepStrictEqual(readdirSync(folder).toSorted(), names.slice(1))
  }).pipe(Effect.scoped)
)
