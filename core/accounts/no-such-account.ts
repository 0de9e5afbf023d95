/** The refusal of an id that no account has. */
import { NotFound } from "../operation/refusal.ts"

export const noSuchAccount = () =>
  new NotFound({ param: "account", message: "No account has this id." })
