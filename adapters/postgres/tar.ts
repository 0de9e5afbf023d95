/** What a tar file says of each of its files and folders, in the form that every system unpacks; all is its owner's alone. */

const blockBytes = 512

/** Eleven digits is all there is room for. */
const maxBytes = 8 ** 11 - 1

const maxPathLength = 100

/** What stands before a file's bytes, or for a folder. */
export const header = (
  path: string,
  {
    bytes,
    isFolder,
    unixSeconds
  }: {
    readonly bytes: number
    readonly isFolder: boolean
    readonly unixSeconds: number
  }
): Buffer => {
  const name = isFolder ? `${path}/` : path
  if (Buffer.byteLength(name) > maxPathLength || bytes > maxBytes) {
    throw new Error(`${path} does not fit into a tar file`)
  }
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, "0"), at)
  block.write(name, 0)
  octal(isFolder ? 0o700 : 0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(bytes, 124, 11)
  octal(unixSeconds, 136, 11)
  block.fill(" ", 148, 156)
  block.write(isFolder ? "5" : "0", 156)
  block.write("ustar\u000000", 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\u0000 `, 148)
  return block
}

/** What stands behind a file's bytes, so that the next begins with a block. */
export const padding = (bytes: number): Buffer =>
  Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)

/** What every tar file ends with. */
export const end = (): Buffer => Buffer.alloc(2 * blockBytes)
