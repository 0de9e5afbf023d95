/** The files of texts that leave the records: whole on the disk, read back and hashed before anybody is told of them. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import * as WholeFile from "./whole-file.ts"

const { makeFolder, tried, writing } = WholeFile.files("Nothing was dropped.")

export { makeFolder, writing }

/** The hash over all of a file, in hex; undefined where there is none. */
export const sha256Of = (path: string) =>
  tried(path, async () => {
    const digest = createHash("sha256")
    try {
      for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
    return digest.digest("hex")
  })
