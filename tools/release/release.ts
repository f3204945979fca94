/**
 * `pnpm release prepare VERSION`: writes the version to all files, and dates the unreleased section of CHANGELOG.md.
 * `pnpm release check TAG [--repository OWNER/NAME]`: fails if the checkout cannot be released as TAG.
 * `pnpm release notes VERSION [--links URL]`: prints the text of a release; URL is the base of relative links.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../run-command.ts'
import { findSection, releaseNotes, startRelease } from './changelog.ts'
import { findProblems, isVersion } from './problems.ts'
import { setVersion } from './versions.ts'

const changelogPath = join(root, 'CHANGELOG.md')
const readChangelog = () => readFileSync(changelogPath, 'utf8')

const { values, positionals } = parseArgs({
  options: { repository: { type: 'string' }, links: { type: 'string', default: '' } },
  allowPositionals: true,
})
const [command, name = '', ...rest] = positionals
const commands: Readonly<Record<string, () => void>> = { prepare, check, notes }
const run = commands[command ?? '']
if (run && name && rest.length === 0) run()
else fail('usage: pnpm release prepare VERSION | check TAG [--repository OWNER/NAME] | notes VERSION [--links URL]')

function prepare() {
  if (!isVersion(name)) return fail(`The version must have three numbers, such as 1.2.3 (got ${name}).`)
  const changelog = startRelease(readChangelog(), name, new Date().toISOString().slice(0, 10))
  writeFileSync(changelogPath, changelog)
  for (const file of ['CHANGELOG.md', ...setVersion(root, name)]) process.stdout.write(`written: ${file}\n`)
  process.stdout.write('Run `pnpm generate`, and commit the changes.\n')
}

function check() {
  const problems = findProblems(root, name, values.repository)
  if (problems.length > 0) fail(problems.join('\n'))
}

function notes() {
  const section = findSection(readChangelog(), name)
  if (!section) return fail(`CHANGELOG.md has no section for ${name}.`)
  process.stdout.write(`${releaseNotes(section.text, values.links)}\n`)
}

function fail(message: string) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
