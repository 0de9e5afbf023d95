/** The issuer's programs on the local Solana: what they were compiled from, and that they take nothing but what attesters signed. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"

const folder = new URL("../../../apps/sandbox/solana/cctp/", import.meta.url)

it("the programs were compiled from the sources beside them", () => {
  for (const name of ["transmitter", "messenger"]) {
    const built = JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as {
      readonly sourceSha256: string
    }
    const sources = ["runtime.h", `${name}.c`].map((file) => readFileSync(new URL(file, folder)))
    const sha256 = createHash("sha256").update(Buffer.concat(sources)).digest("hex")
    assert.strictEqual(built.sourceSha256, sha256, name)
  }
})
