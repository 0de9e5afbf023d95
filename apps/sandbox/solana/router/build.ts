/**
 * Compiles `router.c` into `router.json`: `node apps/sandbox/solana/router/build.ts`, with Debian's clang-14. The
 * result is committed, so that nobody else needs a compiler; it names the source that it was made of.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Elf from "./elf.ts"

const here = import.meta.dirname
const source = join(here, "router.c")
const scratch = mkdtempSync(join(tmpdir(), "router-"))
const object = join(scratch, "router.o")
const flags = ["-target", "bpf", "-mcpu=v1", "-O2", "-ffreestanding", "-fno-builtin"]
execFileSync("clang-14", [...flags, "-c", source, "-o", object], { stdio: "inherit" })
const program = Elf.write(Elf.read(readFileSync(object), "entrypoint"))
rmSync(scratch, { recursive: true })
const sourceSha256 = createHash("sha256").update(readFileSync(source)).digest("hex")
const built = { sourceSha256, program: program.toString("base64") }
writeFileSync(join(here, "router.json"), `${JSON.stringify(built, null, 2)}\n`)
