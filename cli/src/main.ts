#!/usr/bin/env node
import { constants } from 'node:os'
import { CommanderError } from 'commander'
import type { Cli } from './cli.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { buildProgram } from './program.ts'
import { failureJson, interruptionJson, renderFailure } from './terminal/failure.ts'
import { outputTo } from './terminal/output.ts'
import { styleFor } from './terminal/style.ts'

const interrupting = new AbortController()
/** Exit code after an interruption. */
let interruptedCode: number = exitCodes.interrupted

/** Interrupts the command, which then shuts down gracefully and cleans up. */
function interrupt(exitCode: number): void {
  if (interrupting.signal.aborted) return
  interruptedCode = exitCode
  interrupting.abort()
}

let isSignalled = false
// A second signal exits immediately. This does not use `once`: without a listener, restoring the cursor would end the
// process at the first signal.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    const exitCode = exitCodes.signal + constants.signals[signal]
    if (isSignalled) process.exit(exitCode)
    isSignalled = true
    interrupt(exitCode)
  })

// The reader, such as `head`, may close the pipe even after the command has ended, so the exit code is also set here.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const isClosed = error.code === 'EPIPE'
  if (!isClosed && !interrupting.signal.aborted) process.stderr.write(`Cannot write results: ${error.message}\n`)
  interrupt(isClosed ? exitCodes.closedPipe : exitCodes.failed)
  process.exitCode = interruptedCode
})
// Errors of stderr are ignored: only messages to the user are lost.
process.stderr.on('error', () => {})

// `--json` is detected before the arguments are parsed, because parsing may fail.
const isJson = process.argv.includes('--json')

const cli: Cli = {
  // biome-ignore lint/style/noProcessEnv: the only place in the program that reads the environment.
  environment: process.env,
  // Node opens stdin when it is first read, which most commands do not.
  get stdin() {
    return process.stdin
  },
  interrupted: interrupting.signal,
  output: () => outputTo(process, isJson),
  setExitCode: (exitCode) => {
    process.exitCode = exitCode
  },
}

try {
  const program = buildProgram(cli)
  await program.parseAsync()
  if (interrupting.signal.aborted) process.exitCode = reportInterruption()
} catch (error) {
  process.exitCode = isInterruption(error) ? reportInterruption() : report(error)
}

function report(error: unknown): number {
  // Commander has already printed usage errors and help.
  const isUsage = error instanceof CommanderError
  if (isUsage && error.exitCode === 0) return exitCodes.done
  if (isJson) process.stderr.write(`${JSON.stringify(failureJson(error))}\n`)
  else if (!isUsage) process.stderr.write(`${renderFailure(error, styleFor(process.stderr))}\n`)
  return exitCodeOf(error)
}

/** Reports the interruption as JSON with --json. In a terminal, the interruption is obvious. */
function reportInterruption(): number {
  if (isJson) process.stderr.write(`${JSON.stringify(interruptionJson(interruptedCode))}\n`)
  return interruptedCode
}

/** Detects an interruption. In a prompt, Ctrl-C is a key and not a signal. */
function isInterruption(error: unknown): boolean {
  return interrupting.signal.aborted || (error instanceof Error && error.name === 'ExitPromptError')
}
