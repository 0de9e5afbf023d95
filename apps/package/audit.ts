/**
 * `bursar/audit`: checks an exported audit log offline, without treasury, database or network.
 *
 * @example
 * import { verifyExport } from "bursar/audit"
 * const { ok, problems } = verifyExport("not an export", "not a verifier key")
 * console.log(ok, problems.map(({ code }) => code))
 */

/** Checks an export against the verifier key and earlier checkpoints; `problems` names what was changed. */
export { verifyExport } from "../../adapters/secrets/audit-export.ts"
