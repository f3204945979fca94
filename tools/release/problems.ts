import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSection } from './changelog.ts'
import { findVersions } from './versions.ts'

/** Folders of the packages that are published to npm. */
const publishedPackages = ['sdk', 'cli'] as const

/** The images that the workflows run. */
const IMAGES = 'tools/release/images.env'

/**
 * Lists what is wrong with releasing the checkout at `folder` as `tag`. `repository` is the `owner/name` on GitHub; npm
 * rejects a provenance whose repository is not the one in the manifest.
 */
export function findProblems(folder: string, tag: string, repository?: string): string[] {
  const version = tag.slice(1)
  if (!isVersion(version) || tag[0] !== 'v') return [`The tag must be a version such as v1.2.3 (got ${tag}).`]
  const problems = findVersions(folder)
    .filter((found) => found.version !== version)
    .map((found) => `${found.file}: the version must be ${version} (got ${found.version}).`)
  problems.push(...changelogProblems(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'), version))
  problems.push(...imageProblems(readFileSync(join(folder, IMAGES), 'utf8')))
  if (repository !== undefined) problems.push(...repositoryProblems(folder, repository))
  return problems
}

/** Whether the text is a version that can be released. Pre-releases are not: npm would need a tag for them. */
export const isVersion = (text: string): boolean => /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(text)

function changelogProblems(changelog: string, version: string): string[] {
  const problems: string[] = []
  const section = findSection(changelog, version)
  if (!section) problems.push(`CHANGELOG.md: add a section "## ${version} - YYYY-MM-DD".`)
  else {
    if (!isDate(section.date ?? '')) problems.push(`CHANGELOG.md: the section ${version} must have a date.`)
    if (!section.text) problems.push(`CHANGELOG.md: the section ${version} must have entries.`)
  }
  const unreleased = findSection(changelog, 'Unreleased')
  if (!unreleased) problems.push('CHANGELOG.md: add the section "## Unreleased".')
  else if (unreleased.text) problems.push(`CHANGELOG.md: move the entries under "Unreleased" to ${version}.`)
  return problems
}

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** A tag can be moved to other content, and these images run with the permissions of a job. */
function imageProblems(settings: string): string[] {
  const images = [...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, image]) => ({ name, image: image ?? '' }))
  if (images.length === 0) return [`${IMAGES}: contains no images.`]
  return images
    .filter(({ image }) => !/^[\w./-]+:[\w.-]+@sha256:(?!0+$)[0-9a-f]{64}$/.test(image))
    .map(({ name, image }) => `${IMAGES}: ${name} must be a version with its digest (got ${image}).`)
}

function repositoryProblems(folder: string, repository: string): string[] {
  const wanted = `git+https://github.com/${repository}.git`
  return publishedPackages.flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
    const url = manifest.repository?.url
    return url === wanted ? [] : [`${name}/package.json: repository.url must be ${wanted} (got ${url}).`]
  })
}
