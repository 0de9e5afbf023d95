/**
 * `npm run verify:edge`: what must hold of clients that do not read, on a real process with a heap of 1 GiB.
 * Parts may be named, and crowds be smaller: `verify.ts --share=0.1 crowd alone`.
 */
import { verify } from "../support/verification.ts"
import { parts, program } from "./parts.ts"

await verify(parts, program)
