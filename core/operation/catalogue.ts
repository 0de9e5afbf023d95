/**
 * The catalogue seen from below: an operation by its name. The registry on the top floor fills it in, so that
 * what serves every operation names none.
 */
import { Context } from "effect"
import type * as Operation from "./operation.ts"

export class Catalogue extends Context.Service<
  Catalogue,
  { readonly find: (name: string) => Operation.Any | undefined }
>()("bursar/operation/Catalogue") {}
