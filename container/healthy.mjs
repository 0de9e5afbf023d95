/** The health check of a container: ends with 0 if the service in it is ready, and with 1 if not. */
const { PORT = "4000" } = process.env

const answer = await fetch(`http://127.0.0.1:${PORT}/health/ready`, {
  signal: AbortSignal.timeout(3_000)
}).catch(() => undefined)

process.exitCode = answer?.ok === true ? 0 : 1
