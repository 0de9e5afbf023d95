process.on("SIGTERM", () => process.exit(0))
await import("./servers/bursar.ts")
export {}
