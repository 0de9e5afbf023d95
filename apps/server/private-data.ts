/** Makes what a configuration names private before anything of it is opened. */
import { secure } from "../../adapters/secrets/private-data.ts"
import type { Configuration } from "./configuration.ts"

export const privateData = ({ dataDirectory, timelineDirectory }: Configuration) =>
  secure(dataDirectory, timelineDirectory ?? dataDirectory)
