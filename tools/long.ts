/**
 * `pnpm long [names]`: runs the suites that take too long to run for every change, one after the other. A name is a
 * group (`faults`), a suite (`faults:uploads`) or the part after the colon (`uploads`). If a suite fails, the next one
 * still runs; Ctrl-C ends the run. Prints a table of results, and writes it to `.stack/long.md` after each suite.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SuiteResult, selectSuites, summaryOf } from './long-suites.ts'
import { root, runCommand } from './run-command.ts'

const { suites, unknown } = selectSuites(process.argv.slice(2))
if (unknown.length > 0) {
  const names = selectSuites([]).suites.map(({ name }) => name)
  process.stderr.write(`unknown suite: ${unknown.join(', ')}\nsuites: ${names.join(', ')}\n`)
  process.exit(2)
}

let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
})

const results: SuiteResult[] = []
await mkdir(join(root, '.stack'), { recursive: true })
for (const { name, commands, settings } of suites) {
  process.stdout.write(`\n== ${name}: ${commands.map((one) => one.join(' ')).join('; ')}\n`)
  const began = performance.now()
  let code = 0
  for (const command of commands) code ||= await runCommand(command, settings)
  results.push({ name, code, seconds: Math.round((performance.now() - began) / 1000) })
  await writeFile(join(root, '.stack/long.md'), summaryOf(results))
  if (isInterrupted) break
}

process.stdout.write(`\n${summaryOf(results)}`)
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0
