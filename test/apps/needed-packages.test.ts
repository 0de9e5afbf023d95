/** What a sandbox from the package asks for is what a clone runs it on. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { bursar, type Manifest } from "../../apps/build/manifest.ts"
import { missingPackages, neededPackages } from "../../apps/sandbox/needed.ts"

const file = join(import.meta.dirname, "../../package.json")
const manifest: Manifest = JSON.parse(readFileSync(file, "utf8"))

it("names the releases that the project installs, and a service is installed without them", () => {
  const published = bursar(manifest)
  for (const [name, version] of Object.entries(neededPackages)) {
    assert.strictEqual(manifest.devDependencies[name], version)
    assert.strictEqual(published.peerDependencies[name], `^${version}`)
    assert.deepStrictEqual(published.peerDependenciesMeta[name], { optional: true })
    assert.notProperty(published.dependencies, name)
  }
})

it("finds nothing missing in a clone", () => {
  assert.isUndefined(missingPackages())
})
