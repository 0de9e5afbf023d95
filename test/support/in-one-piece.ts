/** Whether a text is in one piece, as V8 sees it: a concatenation is not, before somebody has read it. */
import { setFlagsFromString } from "node:v8"

setFlagsFromString("--allow-natives-syntax")

export const isInOnePiece = new Function("text", "return %StringIsFlat(text)") as (
  text: string
) => boolean
