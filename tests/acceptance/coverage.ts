/**
 * Which test holds which sentence of the specification, as a table and as a list of faults.
 *
 * A test names the sentences it holds at the head of its title: `it('[4.6.2, 7.10] 400: …`. The titles
 * are read from the source text, so that the table can be made without a service to run against.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Promised, promises } from './promises.ts'

export type Source = { readonly file: string; readonly text: string }
export type Coverage = { readonly markdown: string; readonly faults: readonly string[] }
type Test = { readonly file: string; readonly title: string; readonly ids: readonly string[] }

const here = fileURLToPath(new URL('./', import.meta.url))
const specificationPath = fileURLToPath(new URL('../../docs/specification.md', import.meta.url))
export const coveragePath = `${here}COVERAGE.md`

/** The coverage as the files stand now. */
export function readCoverage(): Coverage {
  const files = readdirSync(here).filter((file) => file.endsWith('.test.ts'))
  const sources = files.sort().map((file) => ({ file, text: readFileSync(here + file, 'utf8') }))
  return coverageOf(promises, sources, readFileSync(specificationPath, 'utf8'))
}

/** What COVERAGE.md is to hold. */
export const coverageMarkdown = () => readCoverage().markdown

export function coverageOf(
  promised: readonly Promised[],
  sources: readonly Source[],
  specification: string,
): Coverage {
  const tests = sources.flatMap(testsIn)
  return {
    markdown: toMarkdown(promised, tests),
    faults: [
      ...sources.flatMap(unnamedTests),
      ...wrongIds(promised, tests),
      ...unheldPromises(promised, tests),
      ...misquotes(promised, specification),
    ],
  }
}

const titleForm = /(['"`])\[([\d., ]+)\] (.+?)\1/g
const testForm = /^\s*it[.(]/gm

function testsIn({ file, text }: Source): Test[] {
  return [...text.matchAll(titleForm)].map(([, , ids = '', title = '']) => ({
    file,
    title,
    ids: ids.split(',').map((id) => id.trim()),
  }))
}

function unnamedTests(source: Source): string[] {
  const tests = source.text.match(testForm)?.length ?? 0
  const named = testsIn(source).length
  return tests === named ? [] : [`${source.file} has ${tests} tests, but ${named} titles with ids`]
}

function wrongIds(promised: readonly Promised[], tests: readonly Test[]): string[] {
  const known = new Set(promised.map(({ id }) => id))
  return tests.flatMap(({ file, title, ids }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${file} holds unknown ${id}: ${title}`),
  )
}

function unheldPromises(promised: readonly Promised[], tests: readonly Test[]): string[] {
  const held = new Set(tests.flatMap(({ ids }) => ids))
  return promised.flatMap(({ id, text, later }) => {
    if (later) return held.has(id) ? [`${id} has a test, so it no longer waits for ${later}`] : []
    return held.has(id) ? [] : [`${id} has no test: ${text}`]
  })
}

/** The promises of a section, one after the other, must be its whole text: no more, no less. */
function misquotes(promised: readonly Promised[], specification: string): string[] {
  const sections = sectionsOf(specification)
  const bySection = Map.groupBy(promised, ({ id }) => id.slice(0, id.lastIndexOf('.')))
  return [...bySection].flatMap(([section, quoted]) => {
    let rest = sections.get(section) ?? ''
    for (const { id, text } of quoted) {
      const quote = plain(text)
      if (!rest.startsWith(quote)) {
        return [`${id} is not what the specification says. There: ${rest.slice(0, 120)}`]
      }
      rest = rest.slice(quote.length).trim()
    }
    return rest === '' ? [] : [`Section ${section} promises more: ${rest.slice(0, 120)}`]
  })
}

/** The text of each numbered section without headings, heads of tables and Markdown. */
function sectionsOf(specification: string): Map<string, string> {
  const lines = specification.split('\n')
  const sections = new Map<string, string[]>()
  let section = ''
  for (const [place, line] of lines.entries()) {
    section = /^#+ (\d+(?:\.\d+)?)/.exec(line)?.[1] ?? section
    const isTableHead = isRule(line) || isRule(lines[place + 1] ?? '')
    if (line.startsWith('#') || isTableHead) continue
    sections.set(section, [...(sections.get(section) ?? []), line.replace(/^\s*[-*] /, '')])
  }
  return new Map([...sections].map(([name, text]) => [name, plain(text.join(' '))]))
}

const isRule = (line: string) => /^\|[-:| ]+\|$/.test(line.trim())

const plain = (text: string) => text.replace(/[|`*]/g, ' ').replace(/\s+/g, ' ').trim()

function toMarkdown(promised: readonly Promised[], tests: readonly Test[]): string {
  const rows = promised.map((promise) => {
    const holding = tests.filter(({ ids }) => ids.includes(promise.id))
    const cells = [
      ...holding.map(({ file, title }) => `${file.replace('.test.ts', '')}: ${title}`),
      ...(promise.later ? [`*later: ${promise.later}*`] : []),
      ...(promise.restLater ? [`*the rest later: ${promise.restLater}*`] : []),
    ]
    return `| ${promise.id} | ${inCell(promise.text)} | ${cells.map(inCell).join('<br>')} |`
  })
  return `${head(promised)}\n${rows.join('\n')}\n`
}

function head(promised: readonly Promised[]): string {
  const later = promised.filter((promise) => promise.later).length
  const partly = promised.filter((promise) => promise.restLater).length
  return `# What the acceptance suite holds

Made by \`pnpm generate\` from \`promises.ts\` and the titles of the tests; not written by hand.
Of ${promised.length} sentences, ${promised.length - later - partly} are held, ${partly} are held in part, and ${later} wait for a capability
that is not built yet.

| id | sentence of the specification | held by |
|---|---|---|`
}

const inCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
