/**
 * `pnpm check:language [--worst N]`: counts phrases that plain technical English does not use, per 1,000 words of
 * comments, docs, messages and test titles, and fails above the limit of a kind.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../run-command.ts'
import { countMarkers, countWords } from './markers.ts'
import { type Kind, kinds, textsOf } from './texts.ts'

/** Maximum number of markers per 1,000 words, for each kind of text. */
const LIMIT = 1

const { values } = parseArgs({ options: { worst: { type: 'string', default: '0' } } })

const counted = Object.fromEntries(kinds.map((kind) => [kind, { words: 0, markers: 0 }])) as Record<
  Kind,
  { words: number; markers: number }
>
const byFile: { path: string; markers: number }[] = []
for (const path of sourceFiles()) {
  let markers = 0
  for (const { kind, text } of textsOf(path, readFileSync(join(root, path), 'utf8'))) {
    const found = countMarkers(text)
    counted[kind].words += countWords(text)
    counted[kind].markers += found
    markers += found
  }
  byFile.push({ path, markers })
}

let isAbove = false
for (const kind of kinds) {
  const { words, markers } = counted[kind]
  const density = (1000 * markers) / Math.max(1, words)
  isAbove ||= density > LIMIT
  const figures = `${words} words, ${markers} markers, ${density.toFixed(2)} per 1,000`
  process.stdout.write(`${kind.padEnd(12)} ${figures} (limit ${LIMIT})\n`)
}
const worst = byFile.filter(({ markers }) => markers > 0).sort((a, b) => b.markers - a.markers)
for (const { path, markers } of worst.slice(0, Number(values.worst))) {
  process.stdout.write(`${String(markers).padStart(5)}  ${path}\n`)
}
process.exitCode = isAbove ? 1 : 0

/** Files of the checkout, committed or new, apart from generated ones. */
function sourceFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root })
  return [...new Set(listed.toString().trim().split('\n'))].filter(
    (path) => /\.(tsx?|md)$/.test(path) && !/(^|\/)(generated|reference)\//.test(path),
  )
}
