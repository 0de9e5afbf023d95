#!/usr/bin/env node
/**
 * `bursar` as it is started: says in a line which Node.js it needs before anything is loaded that an older
 * one cannot read.
 */

/** The `engines` of the package say the same. */
const minNodeMajor = 24

const { node } = process.versions

if (Number(node.split(".")[0]) < minNodeMajor) {
  process.stderr.write(`bursar needs Node.js ${minNodeMajor} or newer; this is ${node}.\n`)
  process.exitCode = 1
} else {
  await import("./main.ts")
}
