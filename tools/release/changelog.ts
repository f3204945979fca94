/** Reads and edits CHANGELOG.md, whose sections are `## Unreleased` and, for each release, `## 1.2.3 - 2026-01-31`. */

type Section = {
  /** The date as written; undefined if the heading has none. */
  readonly date: string | undefined
  readonly text: string
}

/** Finds the section of a version, or `Unreleased`. */
export function findSection(changelog: string, name: string): Section | undefined {
  for (const part of changelog.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = part.split('\n')
    const [title, date] = heading.trim().split(' - ')
    if (title === name) return { date, text: lines.join('\n').trim() }
  }
  return undefined
}

/** Moves all unreleased entries to a new section for `version`. */
export function startRelease(changelog: string, version: string, date: string): string {
  if (findSection(changelog, version)) throw new Error(`CHANGELOG.md already has a section for ${version}.`)
  if (!findSection(changelog, 'Unreleased')?.text) throw new Error('CHANGELOG.md has no entries under "Unreleased".')
  return changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${date}`)
}

/**
 * Converts a section to the text of a GitHub release. GitHub shows each line break there, so wrapped lines are joined.
 * Relative links are resolved against `links`, the URL of the files at the tag.
 */
export function releaseNotes(section: string, links: string): string {
  const joined = section.replace(/(?<=\S)\n[ \t]*(?=[^\s\-#*|])/g, ' ')
  return joined.replace(/(?<=\]\()(?!https?:|#)/g, links)
}
