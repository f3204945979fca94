#!/usr/bin/env node
import { constants } from 'node:os'
import { CommanderError } from 'commander'
import type { Cli } from './cli.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { buildProgram } from './program.ts'
import { drawFailure, failureJson, interruptionJson } from './terminal/failure.ts'
import { lookOf } from './terminal/look.ts'
import { outputTo } from './terminal/output.ts'

const interrupting = new AbortController()
/** What the command ends with once it has been interrupted. */
let interruptedCode: number = exitCodes.interrupted

/** The command ends in good order, and takes back what it made for itself. */
function interrupt(exitCode: number): void {
  if (interrupting.signal.aborted) return
  interruptedCode = exitCode
  interrupting.abort()
}

let isSignalled = false
// The second one ends it at once, as everywhere. Not `once`: with nobody listening any more, what
// restores the cursor would end it at the first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    const exitCode = exitCodes.signal + constants.signals[signal]
    if (isSignalled) process.exit(exitCode)
    isSignalled = true
    interrupt(exitCode)
  })

// Who reads on from us, such as `head`, may have enough. It may be told after the command's own
// end, so the exit code is set here, too.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const isClosed = error.code === 'EPIPE'
  if (!isClosed && !interrupting.signal.aborted)
    process.stderr.write(`Results cannot be written: ${error.message}\n`)
  interrupt(isClosed ? exitCodes.closedPipe : exitCodes.failed)
  process.exitCode = interruptedCode
})
// What is said beside the results may go unheard.
process.stderr.on('error', () => {})

// Known before the arguments are parsed, for they may be at fault.
const isJson = process.argv.includes('--json')

const cli: Cli = {
  // biome-ignore lint/style/noProcessEnv: the one place of the program that reads it.
  environment: process.env,
  stdin: process.stdin,
  interrupted: interrupting.signal,
  output: () => outputTo(process, isJson),
  endWith: (exitCode) => {
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
  // People have been told by commander itself, and shown the help that they asked for.
  const isUsage = error instanceof CommanderError
  if (isUsage && error.exitCode === 0) return exitCodes.done
  if (isJson) process.stderr.write(`${JSON.stringify(failureJson(error))}\n`)
  else if (!isUsage) process.stderr.write(`${drawFailure(error, lookOf(process.stderr))}\n`)
  return exitCodeOf(error)
}

/** People know what they did; a machine may read what somebody else interrupted. */
function reportInterruption(): number {
  if (isJson) process.stderr.write(`${JSON.stringify(interruptionJson(interruptedCode))}\n`)
  return interruptedCode
}

/** In a question, Ctrl-C is a key and not a signal. */
function isInterruption(error: unknown): boolean {
  return interrupting.signal.aborted || (error instanceof Error && error.name === 'ExitPromptError')
}
