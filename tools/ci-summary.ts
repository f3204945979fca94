/** `ci-summary.ts FOLDER`: prints how long a run of `.ci/run` took, from the reports that it wrote to the folder. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type JsonReport, slowestFiles, stageTable, totals } from './reports.ts'
import { root } from './run-command.ts'

const folder = process.argv[2] ?? ''
const stages = await readFile(join(folder, 'stages.tsv'), 'utf8')
const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
const reports = (await Promise.all(names.map(readReport))).flat()
process.stdout.write(`\nSlowest test files, in seconds\n${slowestFiles(reports, root, 10)}\n`)
process.stdout.write(`\nStages, in seconds\n${stageTable(stages)}\n\n${totals(reports)}\n`)

/** A run that was killed may leave an incomplete report, which is skipped. */
async function readReport(name: string): Promise<JsonReport[]> {
  try {
    return [JSON.parse(await readFile(join(folder, name), 'utf8')) as JsonReport]
  } catch {
    process.stdout.write(`${name} cannot be read\n`)
    return []
  }
}
