/**
 * What a payment by signature is for, seen from the machine that submits it: how its subject is locked, and
 * what its beginning and its end mean. The registry on the top floor fills this in; no purpose is named here.
 */
import { Context } from "effect"

/** Filled by the registry, so that the compiler knows what every purpose needs. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the registry, which stands above this room.
export interface Registry {}

export class Purposes extends Context.Service<Purposes, Registry>()(
  "bursar/submissions/Purposes"
) {}
