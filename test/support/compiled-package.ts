/** The package as the compiler makes it, once for all test files of a run; each takes a copy, to complete it its own way. */
import { execFile } from "node:child_process"
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { built } from "./shared-builds.ts"

const root = join(import.meta.dirname, "../..")
const tsc = join(root, "node_modules/typescript/bin/tsc")

const compile = async (folder: string) => {
  // Each checker works out again what several need: four, as by default, work a quarter more.
  const words = [tsc, "-p", "tsconfig.package.json", "--checkers", "2", "--outDir", folder]
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root }).catch(
    (failed: { readonly stdout: string; readonly message: string }) => {
      throw new Error(failed.stdout || failed.message)
    }
  )
  if (stdout !== "") throw new Error(stdout)
}

export const compiledInto = async (folder: string): Promise<void> => {
  const { folder: compiled, remove } = await built("package", compile)
  await cp(compiled, folder, { recursive: true })
  remove()
}
