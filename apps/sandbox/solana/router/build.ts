/**
 * Compiles the programs beside it into JSON: `node apps/sandbox/solana/router/build.ts`, with Debian's clang-14. The
 * results are committed, so that nobody else needs a compiler; each names the sources that it was made of.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Elf from "./elf.ts"

const here = import.meta.dirname
const scratch = mkdtempSync(join(tmpdir(), "router-"))
const flags = ["-target", "bpf", "-mcpu=v1", "-O2", "-ffreestanding", "-fno-builtin"]
const spelling = ["-Wno-multichar", "-Wno-four-char-constants"]
const shared = [join(here, "../cctp/runtime.h"), join(here, "selling.h")]

for (const name of ["pools", "router", "splitter"]) {
  const source = join(here, `${name}.c`)
  const object = join(scratch, `${name}.o`)
  execFileSync("clang-14", [...flags, ...spelling, "-c", source, "-o", object], {
    stdio: "inherit"
  })
  const program = Elf.write(Elf.read(readFileSync(object), "entrypoint"))
  const sources = [...shared, source].map((path) => readFileSync(path))
  const sourceSha256 = createHash("sha256").update(Buffer.concat(sources)).digest("hex")
  const built = { sourceSha256, program: program.toString("base64") }
  writeFileSync(join(here, `${name}.json`), `${JSON.stringify(built, null, 2)}\n`)
}
rmSync(scratch, { recursive: true })
