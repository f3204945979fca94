import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../run-command.ts'
import { startRelease } from './changelog.ts'
import { findProblems, isVersion } from './problems.ts'
import { findVersions, setVersion } from './versions.ts'

const IMAGES = 'tools/release/images.env'
const DIGEST = `sha256:${'a'.repeat(64)}`

/** A copy of the files of this repository that a release reads and changes. */
const folder = mkdtempSync(join(tmpdir(), 'release-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  const files = ['CHANGELOG.md', 'compose.yaml', '{package.json,*/package.json}', 'deploy/helm/*/*.yaml', IMAGES]
  for (const file of globSync(files, { cwd: root })) cpSync(join(root, file), join(folder, file))
})

const edit = (file: string, change: (text: string) => string) =>
  writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')))

/** Prepares the copy for the release of `version`, as `pnpm release prepare` does, and pins all images. */
function prepare(version: string) {
  edit(IMAGES, (text) => text.replace(/^(\w+=[^@\n]+).*$/gm, `$1@${DIGEST}`))
  edit('CHANGELOG.md', (text) =>
    startRelease(text.replace(/^## Unreleased$/m, '$&\n\n- An entry.\n'), version, '2026-01-31'),
  )
  return setVersion(folder, version)
}

describe('setVersion', () => {
  it('changes every manifest of the workspace, the chart and compose.yaml', () => {
    const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
    const list = workspace.slice(0, workspace.indexOf('\n\n'))
    const packages = [...list.matchAll(/^ {2}- (.+)$/gm)].map(([, name]) => `${name}/package.json`)
    const files = ['package.json', ...packages, 'deploy/helm/reelkeep/Chart.yaml', 'compose.yaml']
    expect(setVersion(folder, '987.6.5').sort()).toEqual(files.sort())
    expect(new Set(findVersions(folder).map(({ version }) => version))).toEqual(new Set(['987.6.5']))
  })
})

describe('findProblems', () => {
  it('finds none after a release was prepared', () => {
    prepare('987.6.5')
    expect(findProblems(folder, 'v987.6.5')).toEqual([])
  })

  it('finds every place that has another version', () => {
    prepare('987.6.5')
    edit('sdk/package.json', (text) => text.replace('987.6.5', '987.6.4'))
    edit('compose.yaml', (text) => text.replace('987.6.5', '987.6.4'))
    expect(findProblems(folder, 'v987.6.5')).toEqual([
      'sdk/package.json: the version must be 987.6.5 (got 987.6.4).',
      'compose.yaml: the version must be 987.6.5 (got 987.6.4).',
    ])
  })

  it('throws if a file has no version any more', () => {
    edit('compose.yaml', (text) => text.replaceAll('REELKEEP_VERSION', 'TAG'))
    expect(() => findProblems(folder, 'v987.6.5')).toThrow('compose.yaml contains no version.')
  })

  it('refuses a version without a section in CHANGELOG.md', () => {
    setVersion(folder, '987.6.5')
    expect(findProblems(folder, 'v987.6.5')).toContain('CHANGELOG.md: add a section "## 987.6.5 - YYYY-MM-DD".')
  })

  it('refuses a section without date or entries', () => {
    prepare('987.6.5')
    edit('CHANGELOG.md', () => '## Unreleased\n\n## 987.6.5 - soon\n')
    expect(findProblems(folder, 'v987.6.5')).toEqual([
      'CHANGELOG.md: the section 987.6.5 must have a date.',
      'CHANGELOG.md: the section 987.6.5 must have entries.',
    ])
  })

  it('refuses unreleased entries, which would be missing in the release notes', () => {
    prepare('987.6.5')
    edit('CHANGELOG.md', (text) => text.replace(/^## Unreleased$/m, '$&\n\n- Forgotten.'))
    expect(findProblems(folder, 'v987.6.5')).toEqual(['CHANGELOG.md: move the entries under "Unreleased" to 987.6.5.'])
  })

  it('refuses an image of the workflows that is not pinned by version and digest', () => {
    prepare('987.6.5')
    const [, first] = /^BUILDKIT_IMAGE=(.*)$/m.exec(readFileSync(join(folder, IMAGES), 'utf8')) ?? []
    expect(first).toMatch(/^moby\/buildkit:v[\d.]+@sha256:a+$/)
    for (const image of [first?.split('@')[0], first?.replace(/:v[^@]*/, ''), first?.replaceAll('a', '0')]) {
      edit(IMAGES, (text) => text.replace(/^BUILDKIT_IMAGE=.*$/m, `BUILDKIT_IMAGE=${image}`))
      expect(findProblems(folder, 'v987.6.5')).toEqual([
        `${IMAGES}: BUILDKIT_IMAGE must be a version with its digest (got ${image}).`,
      ])
    }
  })

  it('refuses a list without images', () => {
    prepare('987.6.5')
    edit(IMAGES, () => '# None.\n')
    expect(findProblems(folder, 'v987.6.5')).toEqual([`${IMAGES}: contains no images.`])
  })

  it('refuses a repository that is not the one of the published manifests', () => {
    prepare('987.6.5')
    const problems = findProblems(folder, 'v987.6.5', 'someone/fork')
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['sdk/package.json', 'cli/package.json'])
  })

  it.each(['987.6.5', 'v1.2', 'v1.2.3-rc.1', 'v01.2.3', 'release'])('refuses the tag %s', (tag) => {
    expect(findProblems(folder, tag)).toEqual([`The tag must be a version such as v1.2.3 (got ${tag}).`])
  })
})

it('all versions of this repository are equal', () => {
  const versions = new Set(findVersions(root).map(({ version }) => version))
  expect([...versions].map(isVersion)).toEqual([true])
})
