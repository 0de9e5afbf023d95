/**
 * Makes what was compiled into packages that npm can publish from their own folders: `dist/package` is `bursar`,
 * `dist/webhooks` is `bursar-webhooks`.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { neededPackages } from "../sandbox/needed.ts"
import * as Manifest from "./manifest.ts"

const write = (directory: string, manifest: object) =>
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)

const webhooksReadme = `# bursar-webhooks

Verifies the webhooks of a [Bursar](https://www.npmjs.com/package/bursar) treasury. It has no dependencies.

\`\`\`ts
import { verifyWebhook } from "bursar-webhooks"

export const receive = async (request: Request, secret: string) => {
  const event = verifyWebhook({ body: await request.text(), headers: request.headers, secret })
  return event.type === "payment_request.paid" ? event.data.object.externalReference : null
}
\`\`\`

\`secret\` is the whole \`whsec_…\` text of the endpoint. A delivery that is not genuine throws a \`WebhookVerificationError\`: answer it with 400 and do nothing else. Where there is no Node, \`bursar-webhooks/web\` has the same function on Web Crypto; it returns a promise.
`

const neededNames = Object.entries(neededPackages).map(([name, version]) => `${name}@${version}`)

const installed = `## From the package

You need Node 24 or later.

\`\`\`sh
npm install bursar
npx bursar serve
\`\`\`

It prints the next steps: an account, its first key, and [the first payment](http://localhost:4000/docs/first-payment) in the manual, which the service itself serves at \`/docs\`. Where this page says \`npm run -s bursar --\` or \`bursar\`, write \`npx bursar\`; \`npm run serve\` is \`npx bursar serve\`. The demo, the examples, \`container/\` and the files that this page links to are in a clone of the sources.

To try it without real money, start a sandbox. Its chains run on three more packages, which a service does not need:

\`\`\`sh
npm install --save-dev ${neededNames.join(" ")}
npx bursar sandbox
\`\`\`

It prints its keys, and the two commands that lead to a first paid invoice. What this page says of \`npm start\` holds for it too. A test needs no sandbox: \`bursar/testing\` has a treasury in memory.

## Start from a clone
`

/** The project's page for whoever has the package and no clone of the sources. */
export const packedReadme = (readme: string): string => {
  if (!readme.includes("\n## Start\n")) throw new Error("README.md has no part Start")
  return readme.replace("\n## Start\n", () => `\n${installed}`)
}

/** The compiled files are in `compiled`; the packages are complete afterwards. */
export const complete = (compiled: string, webhooks: string): void => {
  const manifest: Manifest.Manifest = JSON.parse(readFileSync("package.json", "utf8"))
  write(compiled, Manifest.bursar(manifest))
  for (const file of ["CHANGELOG.md", "LICENSE"]) cpSync(file, join(compiled, file))
  writeFileSync(join(compiled, "README.md"), packedReadme(readFileSync("README.md", "utf8")))
  rmSync(webhooks, { recursive: true, force: true })
  for (const name of Manifest.receiver) {
    for (const ending of [".js", ".d.ts"]) {
      const file = join(webhooks, name + ending)
      mkdirSync(dirname(file), { recursive: true })
      cpSync(join(compiled, name + ending), file)
    }
  }
  write(webhooks, Manifest.webhooks(manifest))
  cpSync("LICENSE", join(webhooks, "LICENSE"))
  writeFileSync(join(webhooks, "README.md"), webhooksReadme)
}
