/**
 * `node tools/mutations/run.ts [words]`: breaks each guarantee of `guarantees.ts` (or those that contain all the
 * words) once, one after the other, and requires its test to fail. The same tests run with the unchanged code first,
 * and a test that fails there proves nothing. The broken file is restored afterwards, also after Ctrl-C.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../run-command.ts'
import type { Guarantee } from './guarantee.ts'
import { guarantees } from './guarantees.ts'
import { type Outcome, outcomeOf, patternOf, type Report } from './test-outcome.ts'

/**
 * Time limit of a vitest run. It is needed because vitest's own time limit cannot end a test that blocks its process.
 */
const SECONDS_MAX = 300
/** Time limit for all tests together with the unchanged code. */
const UNCHANGED_SECONDS_MAX = 900
/** Time for vitest to stop the processes of its tests. */
const STOP_SECONDS = 10
const NOT_RUN: Outcome = { result: 'not run', detail: 'vitest wrote no report' }

const words = process.argv.slice(2).map((word) => word.toLowerCase())
const selected = guarantees.filter((entry) => {
  const text = Object.values(entry).join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
})
if (selected.length === 0) fail(`No guarantee contains: ${words.join(' ')}`)

const changed = execFileSync('git', ['status', '--porcelain', '--', ...selected.map(({ file }) => file)], {
  cwd: root,
  encoding: 'utf8',
})
if (changed) fail(`Commit these files first; they would be overwritten:\n${changed}`)

for (const { file, find } of selected) {
  const path = join(root, file)
  const count = existsSync(path) ? readFileSync(path, 'utf8').split(find).length - 1 : 0
  if (count !== 1) fail(`${file} must contain this exactly once (found ${count} times):\n${find}`)
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

/** Runs `work` while the file is broken. */
async function whileBroken<Result>({ file, find, replace }: Guarantee, work: () => Promise<Result>): Promise<Result> {
  const path = join(root, file)
  const original = readFileSync(path, 'utf8')
  const restore = () => writeFileSync(path, original)
  process.once('exit', restore)
  try {
    writeFileSync(
      path,
      original.replace(find, () => replace),
    )
    return await work()
  } finally {
    restore()
    process.off('exit', restore)
  }
}

/** Runs the tests of these guarantees and returns an outcome for each. */
async function runTests(entries: readonly Guarantee[], secondsMax: number): Promise<Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  const reportFile = join(folder, 'report.json')
  const files = new Set(entries.map(({ tests }) => tests))
  const titles = entries.map(({ failing }) => patternOf(failing)).join('|')
  const child = spawn(
    'node_modules/.bin/vitest',
    ['run', ...files, '-t', titles, '--reporter=json', `--outputFile=${reportFile}`],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], timeout: secondsMax * 1000 },
  )
  const interrupt = () => {
    child.kill('SIGTERM')
    process.exit(130)
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  const kill = setTimeout(() => child.kill('SIGKILL'), (secondsMax + STOP_SECONDS) * 1000)
  const forAll = (outcome: Outcome) => entries.map(() => outcome)
  try {
    const start = performance.now()
    await once(child, 'exit')
    if (performance.now() - start >= secondsMax * 1000)
      return forAll({ result: 'timed out', detail: `no result after ${secondsMax} s` })
    if (!existsSync(reportFile)) return forAll(NOT_RUN)
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
    return entries.map((entry) => outcomeOf(report, entry))
  } finally {
    clearTimeout(kill)
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
    rmSync(folder, { recursive: true, force: true })
  }
}

const passed = await runTests(selected, UNCHANGED_SECONDS_MAX)
const unproven = selected.flatMap(({ tests, failing }, index) => {
  const { result, detail } = passed[index] ?? NOT_RUN
  return result === 'survived' ? [] : `${tests}: ${failing}\n  ${detail}`
})
if (unproven.length > 0) {
  fail(`These tests must pass with the unchanged code first:\n${unproven.join('\n')}`)
}

const rows: string[] = []
let killed = 0
for (const entry of selected) {
  const start = performance.now()
  const [{ result, detail } = NOT_RUN] = await whileBroken(entry, () => runTests([entry], SECONDS_MAX))
  const seconds = Math.round((performance.now() - start) / 1000)
  if (result === 'killed') killed++
  process.stdout.write(`${result} in ${seconds} s: ${entry.guarantee}\n  ${detail}\n`)
  rows.push(`| ${entry.guarantee} | ${result} | ${entry.tests}: ${entry.failing} | ${seconds} |`)
}
const table = ['| guarantee | result | test | seconds |', '|---|---|---|---|', ...rows]
process.stdout.write(`\n${table.join('\n')}\n\n${killed} of ${selected.length} killed\n`)
process.exitCode = killed === selected.length ? 0 : 1
