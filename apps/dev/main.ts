/**
 * Watches while somebody writes: the types of everything, and the tests that reach what changed since the
 * last commit. Both write to this terminal, and end together.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

const watch = (program: string, ...words: ReadonlyArray<string>) =>
  spawn(process.execPath, [join(root, "node_modules", program), ...words], {
    cwd: root,
    stdio: "inherit"
  })

const watching = [
  watch("typescript/bin/tsc", "-b", "--checkers", "2", "--watch", "--preserveWatchOutput"),
  watch("vitest/vitest.mjs", "watch", "--changed", "--passWithNoTests", "--project=!heavy/*")
]

const end = (code: number) => {
  for (const child of watching) child.kill()
  process.exitCode = code
}

for (const child of watching) child.once("exit", (code) => end(code ?? 0))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(0))
