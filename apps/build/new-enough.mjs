/**
 * Says in a line which Node.js the scripts need, before anything is loaded that an older one cannot read. An installation
 * brings its own, unless it was made without what developers need.
 */

/** The `engines` of the package say the same. */
const minNodeMajor = 24

const { node } = process.versions

if (Number(node.split(".")[0]) < minNodeMajor) {
  process.stderr.write(
    `Bursar needs Node.js ${minNodeMajor} or newer; this is ${node}. Install it, or run npm install without --omit=dev, which brings one.\n`
  )
  process.exitCode = 1
}
