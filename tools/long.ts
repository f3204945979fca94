/**
 * `pnpm long [names]`: runs the suites that take too long to run for every change, one after the other. A name is a
 * group (`faults`), a suite (`faults:uploads`) or the part after the colon (`uploads`). If a suite fails, the next one
 * still runs. Prints a table of results, and writes it to `.stack/long.md`.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LongSuite, selectSuites, summaryOf } from './long-suites.ts'
import { root, runCommand } from './run-command.ts'

const { suites, unknown } = selectSuites(process.argv.slice(2))
if (unknown.length > 0) {
  const names = selectSuites([]).suites.map(({ name }) => name)
  process.stderr.write(`unknown suite: ${unknown.join(', ')}\nsuites: ${names.join(', ')}\n`)
  process.exit(2)
}

const results: { suite: LongSuite; seconds: number; code: number }[] = []
for (const suite of suites) {
  process.stdout.write(`\n== ${suite.name}: ${suite.commands.map((one) => one.join(' ')).join('; ')}\n`)
  const began = performance.now()
  let code = 0
  for (const command of suite.commands) code ||= await runCommand(command, suite.settings)
  results.push({ suite, code, seconds: Math.round((performance.now() - began) / 1000) })
}

const summary = summaryOf(results.map(({ suite, ...one }) => ({ name: suite.name, ...one })))
await mkdir(join(root, '.stack'), { recursive: true })
await writeFile(join(root, '.stack/long.md'), summary)
process.stdout.write(`\n${summary}`)
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0
