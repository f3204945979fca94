import { describe, expect, it } from 'vitest'
import { findSection, releaseNotes, startRelease } from './changelog.ts'

const changelog = `# Changelog

All notable changes.

## Unreleased

### Added

- Something new.

## 0.1.0 - 2026-01-31

### Fixed

- Something old.
`

describe('findSection', () => {
  it('returns the date and the entries of a version', () => {
    expect(findSection(changelog, '0.1.0')).toEqual({ date: '2026-01-31', text: '### Fixed\n\n- Something old.' })
  })

  it('returns the unreleased entries without a date', () => {
    expect(findSection(changelog, 'Unreleased')).toEqual({ date: undefined, text: '### Added\n\n- Something new.' })
  })

  it('does not confuse a version with a longer one', () => {
    expect(findSection(changelog, '0.1')).toBeUndefined()
    expect(findSection(changelog.replace('0.1.0', '0.1.01'), '0.1.0')).toBeUndefined()
  })
})

describe('startRelease', () => {
  it('moves the unreleased entries to a dated section and leaves an empty one', () => {
    const changed = startRelease(changelog, '0.2.0', '2026-02-28')
    expect(findSection(changed, 'Unreleased')).toEqual({ date: undefined, text: '' })
    expect(findSection(changed, '0.2.0')).toEqual({ date: '2026-02-28', text: '### Added\n\n- Something new.' })
    expect(findSection(changed, '0.1.0')).toEqual(findSection(changelog, '0.1.0'))
  })

  it('refuses a version that has a section', () => {
    expect(() => startRelease(changelog, '0.1.0', '2026-02-28')).toThrow('already has a section for 0.1.0')
  })

  it('refuses a release without entries', () => {
    const released = startRelease(changelog, '0.2.0', '2026-02-28')
    expect(() => startRelease(released, '0.3.0', '2026-03-01')).toThrow('no entries under "Unreleased"')
  })
})

describe('releaseNotes', () => {
  it('joins wrapped lines, but not entries, headings or paragraphs', () => {
    const section = '### Added\n\n**API**\n\n- One\n  `two`\n  three.\n- Four\n\nFive\nsix.'
    expect(releaseNotes(section, '')).toBe('### Added\n\n**API**\n\n- One `two` three.\n- Four\n\nFive six.')
  })

  it('resolves relative links at the tag', () => {
    const section = 'See [a](docs/a.md#b), [c](https://example.com/c) and [d](#d).'
    const links = 'https://code.example/blob/v1.2.3/'
    expect(releaseNotes(section, links)).toBe(
      'See [a](https://code.example/blob/v1.2.3/docs/a.md#b), [c](https://example.com/c) and [d](#d).',
    )
  })
})
