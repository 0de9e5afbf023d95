/**
 * `npm run verify:money`: what must hold of sends, on real processes, PostgreSQL and a chain. Parts may be
 * named, and done less often: `verify.ts --share=0.25 races kills`.
 */
import { verify } from "../support/verification.ts"
import { program } from "./part.ts"
import { parts } from "./parts.ts"

await verify(parts, program)
