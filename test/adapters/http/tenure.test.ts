/** A process that serves lets its heap grow before it looks through it, as all that comes meanwhile waits. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "vitest"

const file = join(import.meta.dirname, "../../support/heap-limit.ts")

/** How many times its size the old generation may have, by what V8 says when it first begins to look. */
const growth = (how: "served" | "unserved"): number => {
  const told = execFileSync(process.execPath, ["--trace-incremental-marking", file, how], {
    encoding: "utf8"
  })
  const starts = told.matchAll(/Start \(.*?\): .*? v8: (\d+)MB \/ \d+MB \/ (\d+)MB/gu)
  // What begins while the process loads its code was before it served.
  const [, size, limit] = [...starts].at(-1) ?? []
  return Number(limit) / Number(size)
}

it("looks through the heap of a server once that has grown to three times its size", () => {
  assert.isAtLeast(growth("served"), 2.8)
  // Once V8 waits as long by itself, `letHeapGrow` has no reason any more.
  assert.isBelow(growth("unserved"), 2.8)
})
